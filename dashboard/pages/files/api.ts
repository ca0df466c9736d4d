import { draftEndpoints } from '../../../contract/pages/draft-endpoints.ts';
import type { LinkedDraft } from '../../../contract/pages/drafts.ts';
import { fileEndpoints } from '../../../contract/pages/files/file-endpoints.ts';
import type { ReplacedFiles } from '../../../contract/pages/files/files.ts';
import type { PageFile } from '../../../contract/pages/files/page-file.ts';
import { call, request, upload, type WithoutMessage } from '../../api.ts';

/** The endpoints for the files of a page. */

export type { PageFile };

export const listFiles = async (id: number, signal?: AbortSignal) =>
  (await call(fileEndpoints.listPageFiles, { params: { id }, signal })).files;

interface ReadOptions {
  /** The version to read, if not the current one. */
  version?: number;
  /** The draft to read, if not the published page. */
  draft?: number | undefined;
  signal?: AbortSignal | undefined;
}

/** The bytes of a file. */
export async function readFile(
  id: number,
  path: string,
  { version, draft, signal }: ReadOptions = {},
): Promise<Blob> {
  const response =
    draft === undefined
      ? await request(fileEndpoints.readPageFile, { params: { id, path }, query: { version }, signal })
      : await request(draftEndpoints.readDraftFile, { params: { id, draft, path }, signal });
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
type FilesAnswer = Omit<WithoutMessage<ReplacedFiles>, 'version' | 'url'> & {
  version?: number;
  draft?: LinkedDraft;
};

function send(
  id: number,
  body: FormData | Blob,
  { baseVersion, draft, ...rest }: SendOptions,
): Promise<FilesAnswer> {
  if (!draft)
    return upload(
      fileEndpoints.replacePageFiles,
      { params: { id }, query: { base_version: baseVersion }, ...rest },
      body,
    );
  const given = { params: { id, draft: draft.id }, query: { revision: draft.revision }, ...rest };
  return upload(draftEndpoints.replaceDraftFiles, given, body);
}
