import type { PageWarning } from '../../../../contract/pages.ts';
import { INDEX_PATH } from '../../../../contract/rules/file-paths.ts';
import { MAX_HTML_BYTES, MAX_PAGE_FILE_BYTES } from '../../../../contract/rules/limits.ts';
import { formatBytes } from '../../../ui/index.ts';
import { patchPage } from '../../api.ts';
import { type PageFile, replaceFiles } from '../../files/api.ts';
import { adding } from './file-changes.ts';
import type { KnownPage } from './known-page.ts';

/** Why these texts cannot be saved. */
export function faultOfTexts(texts: ReadonlyMap<string, string>): string | undefined {
  for (const [path, text] of texts) {
    const isPage = path === INDEX_PATH;
    if (isPage && text === '') return 'The page is empty.';
    const limit = isPage ? MAX_HTML_BYTES : MAX_PAGE_FILE_BYTES;
    const excess = new Blob([text]).size - limit;
    if (excess > 0)
      return `${isPage ? 'The page' : path} is ${formatBytes(excess)} larger than the limit of ${formatBytes(limit)}.`;
  }
  return undefined;
}

/** What the service answers to a save. */
interface Saved {
  version: number;
  /** Undefined if only the page's HTML was saved. */
  files: PageFile[] | undefined;
  warnings: PageWarning[];
}

/** Saves texts in one version, unless the page has another one by now. */
export async function sendTexts(
  pageId: number,
  known: KnownPage,
  texts: ReadonlyMap<string, string>,
): Promise<Saved> {
  const html = texts.get(INDEX_PATH);
  if (html !== undefined && texts.size === 1) {
    const patched = await patchPage(pageId, { html_content: html, base_version: known.version });
    return { ...patched, files: undefined };
  }
  const files = await known.loadFiles();
  const sent = new Map([...texts].map(([path, text]) => [path, new Blob([text])]));
  return replaceFiles(pageId, adding(sent)(files), { baseVersion: known.version });
}
