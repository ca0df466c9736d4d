import type { LinkedDraft } from '../../../contract/pages/drafts.ts';
import type { PageFileList, ReplacedFiles } from '../../../contract/pages/files.ts';
import type { PageFile } from '../../../contract/pages/page-file.ts';
import { api, request, toApiError, upload } from '../../api.ts';

/** The endpoints for the files of a page. */

export type { PageFile };

/** Of the page as it is published, or of a draft. */
const home = (pageId: number, draft?: number) =>
  draft === undefined ? `/api/pages/${pageId}/files` : `/api/pages/${pageId}/drafts/${draft}/files`;
const pathOf = (path: string) => path.split('/').map(encodeURIComponent).join('/');

export async function listFiles(pageId: number, signal?: AbortSignal): Promise<PageFile[]> {
  return (await api.get<PageFileList>(home(pageId), signal && { signal })).files;
}

interface ReadOptions {
  /** The version to read, if not the current one. */
  version?: number;
  /** The draft to read, if not the published page. */
  draft?: number | undefined;
  signal?: AbortSignal | undefined;
}

/** The bytes of a file. */
export async function readFile(
  pageId: number,
  path: string,
  { version, draft, signal }: ReadOptions = {},
): Promise<Blob> {
  const query = version === undefined ? '' : `?version=${version}`;
  const response = await request('GET', `${home(pageId, draft)}/${pathOf(path)}${query}`, {
    ...(signal && { signal }),
  });
  if (!response.ok) throw await toApiError(response);
  return response.blob();
}

/** All files that a page should have. */
export interface FileSet {
  /** Hashes of files that the page has, by path. */
  kept: ReadonlyMap<string, string>;
  sent: ReadonlyMap<string, Blob>;
}

export interface SendOptions {
  /** Fails with a conflict unless the page is at this version. */
  baseVersion?: number;
  /** The draft to change instead of the page. */
  draft?: { id: number; revision?: number } | undefined;
  onProgress?: (sent: number, total: number) => void;
  signal?: AbortSignal | undefined;
}

/** Replaces all files of a page in one version. A new `index.html` becomes the page's HTML; without one it stays. */
export function replaceFiles(pageId: number, { kept, sent }: FileSet, options: SendOptions) {
  const form = new FormData();
  form.set('keep', JSON.stringify(Object.fromEntries(kept)));
  // The name in the last argument: a file named `keep` is not the field.
  for (const [path, bytes] of sent) form.append('file', bytes, path);
  return send(pageId, form, options);
}

/** The same with a zip archive, which the service unpacks. */
export const replaceByZip = (pageId: number, zip: Blob, options: SendOptions = {}) =>
  send(pageId, new Blob([zip], { type: 'application/zip' }), options);

/** What the service answers: the new version, or the draft. */
export type FilesAnswer = Omit<ReplacedFiles, 'version'> & { version?: number; draft?: LinkedDraft };

function send(pageId: number, body: FormData | Blob, { baseVersion, draft, ...rest }: SendOptions) {
  const query = new URLSearchParams();
  if (draft?.revision !== undefined) query.set('revision', String(draft.revision));
  else if (!draft && baseVersion !== undefined) query.set('base_version', String(baseVersion));
  const path = home(pageId, draft?.id);
  return upload<FilesAnswer>('PUT', query.size > 0 ? `${path}?${query}` : path, body, rest);
}
