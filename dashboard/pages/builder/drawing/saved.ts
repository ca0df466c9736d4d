import type { BuilderRun as Run } from '../../../../contract/agents/builder.ts';
import { INDEX_PATH } from '../../../../contract/rules/file-paths.ts';
import { ApiError } from '../../../api.ts';
import { type PageDetail, toPageUrl } from '../../api.ts';
import { getDraft } from '../../drafts/api.ts';
import { bundlePreview, type PreviewDocument } from '../../editor/preview/bundle.ts';
import { listFiles, readFile } from '../../files/api.ts';
import { readDraftBlob } from '../api.ts';
import { hasContent } from './growing-html.ts';

/** What is saved of a page that is being built. */
export interface Saved {
  /** The draft of the run. Undefined if there is none, or it was published or deleted. */
  draft: number | undefined;
  previewUrl: string | undefined;
  document: PreviewDocument;
}

/** Reads the draft of a run or, if it is gone, the page itself. Undefined while there is nothing to see. */
export async function loadSaved(
  page: PageDetail,
  run: Run | null | undefined,
  signal: AbortSignal,
): Promise<Saved | undefined> {
  const draft = run?.draft?.draft;
  const found = draft === undefined ? undefined : await findDraft(page.id, draft, signal);
  if (draft !== undefined && found) {
    const read = (path: string) => readDraftBlob(page.id, draft, path);
    const document = await toDocument(page, found.html_content, found.files, read);
    return { draft, previewUrl: found.preview_url, document };
  }
  if (!hasContent(page.html_content)) return undefined;
  const files = await listFiles(page.id, signal);
  const document = await toDocument(page, page.html_content, files, (path) => readFile(page.id, path));
  return { draft: undefined, previewUrl: undefined, document };
}

const findDraft = (pageId: number, draft: number, signal: AbortSignal) =>
  getDraft(pageId, draft, signal).catch((error: unknown) => {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  });

const toDocument = (
  page: PageDetail,
  html: string,
  files: { path: string }[],
  read: (path: string) => Promise<Blob>,
) =>
  bundlePreview({
    path: INDEX_PATH,
    html: html.replaceAll('{{PAGE_ID}}', String(page.id)),
    unsaved: new Map(),
    saved: new Set(files.map(({ path }) => path)),
    root: `${toPageUrl(page)}/`,
    isPublic: false,
    read,
  });
