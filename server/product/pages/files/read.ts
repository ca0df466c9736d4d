import { INDEX_PATH } from '../../../../contract/rules/file-paths.ts';
import { fileType } from '../../../../contract/rules/file-types.ts';
import { notFound } from '../../../lib/errors.ts';
import { type Actor, withSize } from '../../../platform/http/index.ts';
import type { PageRow } from '../../../platform/storage/index.ts';
import type { ChangeContext } from '../model/change-context.ts';
import { findPage } from '../model/page-store.ts';
import { currentState, findVersion } from '../model/version-store.ts';
import { hexHash } from './digest.ts';
import type { Manifest } from './manifest.ts';
import type { PageFiles } from './page-files.ts';
import { readManifest } from './store.ts';

export type ReadContext = Pick<ChangeContext, 'db' | 'directory'> & { files: PageFiles };

/** Headers of bytes that anyone may have written: no browser may take them for a page of ours. */
const HEADERS = {
  'content-security-policy': "sandbox; default-src 'none'",
  'x-content-type-options': 'nosniff',
  'cache-control': 'private, no-cache',
};

/** The files of the current version, or of an earlier one. */
export async function readFiles(
  { db, directory }: ReadContext,
  actor: Actor | undefined,
  id: number,
  version: number | undefined,
): Promise<{ page: PageRow; files: Manifest }> {
  const page = await directory.require(db, await findPage(db, id), actor, 'read');
  const found =
    version === undefined ? await currentState(db, page) : await findVersion(db, page.id, version);
  if (!found) throw notFound('Version {version} of this page was not found.', { version: String(version) });
  return { page, files: await readManifest(db, found.manifest_id) };
}

/** The bytes of one file. */
export async function downloadFile(
  context: ReadContext,
  actor: Actor | undefined,
  { id, path, version }: { id: number; path: string; version: number | undefined },
  request: Request,
): Promise<Response> {
  const { page, files } = await readFiles(context, actor, id, version);
  const html =
    path === INDEX_PATH ? await findVersion(context.db, page.id, version ?? page.version) : undefined;
  return sendBytes(context, { path, html: html?.html_content, hash: files.get(path)?.hash }, request);
}

/** Sends a document, or the bytes with this hash. */
export async function sendBytes(
  context: Pick<ReadContext, 'files'>,
  { path, html, hash: known }: { path: string; html: string | undefined; hash: string | undefined },
  request: Request,
): Promise<Response> {
  const hash = html === undefined ? known : hexHash(html);
  if (hash === undefined) throw notFound('This file was not found.');
  const headers = { ...HEADERS, etag: `"${hash}"`, 'content-type': fileType(path) };
  if (request.headers.get('if-none-match')?.includes(`"${hash}"`))
    return new Response(null, { status: 304, headers });
  const body = html ?? (await context.files.open(hash));
  if (body === undefined) throw notFound('This file was not found.');
  const response = new Response(body, { headers });
  if (typeof body === 'string') return withSize(response, { bytes: body.length, from: 'memory' });
  // A body from a bucket is read in small pieces.
  return body instanceof Blob ? withSize(response, { bytes: body.size, from: 'whole' }) : response;
}
