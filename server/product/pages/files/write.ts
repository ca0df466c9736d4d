import type { DeletedFile, WrittenFile } from '../../../../contract/pages/files/files.ts';
import { pageUrl } from '../../../../contract/pages/pages.ts';
import { faultNextTo, filePathFault, INDEX_PATH } from '../../../../contract/rules/file-paths.ts';
import { MAX_HTML_BYTES, MAX_PAGE_FILE_BYTES } from '../../../../contract/rules/limits.ts';
import { AppError, notFound } from '../../../lib/errors.ts';
import { type Actor, identifySender, readBody } from '../../../platform/http/index.ts';
import { assertBase } from '../model/add-version.ts';
import { findPage } from '../model/page-store.ts';
import { changeFiles, type FilesContext } from './change.ts';
import { digest, hexHash } from './digest.ts';
import { readHtml } from './html.ts';
import type { Manifest } from './manifest.ts';
import { isRuleFile } from './rule-files.ts';
import { refuseFile } from './uploads/unpack.ts';
import { toPageFile } from './wire.ts';

/** The file to change, and the version that the change is based on. */
export interface FileChange {
  id: number;
  /** The normalized path. */
  path: string;
  baseVersion: number | undefined;
}

/** Adds a file or replaces its bytes. `index.html` is the page's document. */
export async function writeFile(
  context: FilesContext,
  actor: Actor,
  { id, path, baseVersion }: FileChange,
  request: Request,
): Promise<WrittenFile> {
  const { db, directory } = context;
  const why = filePathFault(path);
  if (why) throw refuseFile(path, why);
  // Check access before the body is read.
  assertBase(await directory.require(db, await findPage(db, id), actor, 'write'), baseVersion);
  const limit = path === INDEX_PATH ? MAX_HTML_BYTES : MAX_PAGE_FILE_BYTES;
  const bytes = await readBody(request, limit, identifySender(actor, ''));
  const html = path === INDEX_PATH ? await readHtml(new Blob([bytes as Uint8Array<ArrayBuffer>])) : undefined;
  const sent = html ? undefined : await digest(bytes);
  const { page, files } = await changeFiles(context, actor, id, {
    baseVersion,
    html,
    sent: sent ? [{ ...sent, content: bytes }] : [],
    next: (current) => (sent ? withFile(current, path, sent.hash) : listHashes(current)),
  });
  const file = html
    ? { hash: hexHash(html.text), size: html.size, updatedAt: page.updated_at }
    : files.get(path);
  if (!file) throw new Error(`${path} is not in the version that was just made`);
  return {
    success: true as const,
    message: `${path} is saved.`,
    file: toPageFile(path, file),
    version: page.version,
    url: pageUrl(context.baseUrl, page.slug),
    warnings: html
      ? await context.warnings.find(html.text, actor.userId, id)
      : isRuleFile(path)
        ? await context.warnings.findInRules(id)
        : await context.warnings.findInFiles(new Map([[path, file]]), actor.userId, id),
  };
}

export async function deleteFile(
  context: FilesContext,
  actor: Actor,
  { id, path, baseVersion }: FileChange,
): Promise<DeletedFile> {
  if (path === INDEX_PATH)
    throw new AppError('BAD_REQUEST', '{path} is the page itself. Replace it, or delete the page.', {
      path: INDEX_PATH,
    });
  const { page } = await changeFiles(context, actor, id, {
    baseVersion,
    html: undefined,
    sent: [],
    next(current) {
      const files = listHashes(current);
      if (!files.delete(path)) throw notFound('This file was not found.');
      return files;
    },
  });
  return { success: true as const, message: `${path} is deleted.`, version: page.version };
}

export function withFile(current: Manifest, path: string, hash: string): Map<string, string> {
  if (!current.has(path)) {
    const why = faultNextTo(path, [INDEX_PATH, ...current.keys()]);
    if (why) throw refuseFile(path, why);
  }
  return listHashes(current).set(path, hash);
}

export function listHashes(files: Manifest): Map<string, string> {
  return new Map([...files].map(([path, { hash }]) => [path, hash]));
}
