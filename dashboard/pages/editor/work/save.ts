import type { PageWarning } from '../../../../contract/pages/warnings.ts';
import { INDEX_PATH } from '../../../../contract/rules/file-paths.ts';
import { MAX_HTML_BYTES, MAX_PAGE_FILE_BYTES } from '../../../../contract/rules/limits.ts';
import { t } from '../../../texts/index.ts';
import { formatBytes } from '../../../ui/index.ts';
import { patchPage } from '../../api.ts';
import { createDraft, type LinkedDraft, patchDraft } from '../../drafts/api.ts';
import { type PageFile, replaceFiles } from '../../files/api.ts';
import { adding } from './file-changes.ts';
import type { KnownPage } from './known-page.ts';

/** Why these texts cannot be saved. */
export function faultOfTexts(texts: ReadonlyMap<string, string>): string | undefined {
  for (const [path, text] of texts) {
    const isPage = path === INDEX_PATH;
    if (isPage && text === '') return t('The page is empty.');
    const limit = isPage ? MAX_HTML_BYTES : MAX_PAGE_FILE_BYTES;
    const excess = new Blob([text]).size - limit;
    if (excess <= 0) continue;
    const sizes = { excess: formatBytes(excess), limit: formatBytes(limit) };
    return isPage
      ? t('The page is {excess} larger than the limit of {limit}.', sizes)
      : t('{path} is {excess} larger than the limit of {limit}.', { path, ...sizes });
  }
  return undefined;
}

/** What the service answers to a save. */
interface Saved {
  /** Of the page, if it was published. */
  version?: number | undefined;
  draft?: LinkedDraft | undefined;
  /** Undefined if only the page's HTML was saved. */
  files: PageFile[] | undefined;
  warnings: PageWarning[];
}

type Texts = ReadonlyMap<string, string>;

/** Publishes texts in one version, unless the page has another one by now. */
export async function sendTexts(
  pageId: number,
  known: KnownPage,
  texts: Texts,
  note: string | undefined,
): Promise<Saved> {
  const html = texts.get(INDEX_PATH);
  const noted = note ? { note } : {};
  if (html !== undefined && texts.size === 1) {
    const patched = await patchPage(pageId, { html_content: html, base_version: known.version, ...noted });
    return { ...patched, files: undefined };
  }
  const sent = await sendFiles(pageId, known, texts);
  if (note) await patchPage(pageId, noted);
  return sent;
}

/** Saves texts in the open draft, or in a new one. Nobody but its authors sees them. */
export async function sendToDraft(pageId: number, known: KnownPage, texts: Texts): Promise<Saved> {
  const html = texts.get(INDEX_PATH);
  const document = html === undefined ? {} : { html_content: html };
  const { draft } = known;
  if (!draft) {
    // Before the draft takes the place of what is known.
    await known.loadFiles();
    const made = await createDraft(pageId, { ...document, base_version: known.version });
    known.draft = made.draft;
    if (html !== undefined && texts.size === 1) return { ...made, files: undefined };
  } else if (html !== undefined && texts.size === 1) {
    const saved = await patchDraft(pageId, draft.id, { ...document, revision: draft.revision });
    return { ...saved, files: undefined };
  }
  return sendFiles(pageId, known, texts);
}

async function sendFiles(pageId: number, known: KnownPage, texts: Texts): Promise<Saved> {
  const files = await known.loadFiles();
  const sent = new Map([...texts].map(([path, text]) => [path, new Blob([text])]));
  return replaceFiles(pageId, adding(sent)(files), known.target);
}
