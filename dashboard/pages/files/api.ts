import type { PageFileList, ReplacedFiles } from '../../../contract/sites/files.ts';
import type { PageFile } from '../../../contract/sites/page-file.ts';
import { api, request, toApiError, upload } from '../../api.ts';

/** The endpoints for the files of a page. */

export type { PageFile };

const home = (pageId: number) => `/api/pages/${pageId}/files`;
const pathOf = (path: string) => path.split('/').map(encodeURIComponent).join('/');

export async function listFiles(pageId: number, signal?: AbortSignal): Promise<PageFile[]> {
  return (await api.get<PageFileList>(home(pageId), signal && { signal })).files;
}

interface ReadOptions {
  /** The version to read, if not the current one. */
  version?: number;
  signal?: AbortSignal | undefined;
}

/** The bytes of a file. */
export async function readFile(
  pageId: number,
  path: string,
  { version, signal }: ReadOptions = {},
): Promise<Blob> {
  const query = version === undefined ? '' : `?version=${version}`;
  const response = await request('GET', `${home(pageId)}/${pathOf(path)}${query}`, {
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

function send(pageId: number, body: FormData | Blob, { baseVersion, ...rest }: SendOptions) {
  const query = baseVersion === undefined ? '' : `?base_version=${baseVersion}`;
  return upload<ReplacedFiles>('PUT', `${home(pageId)}${query}`, body, rest);
}
