import type { ReplacedDraftFiles, SavedDraft, WrittenDraftFile } from '../../../../contract/pages/drafts.ts';
import { filePathFault, INDEX_PATH } from '../../../../contract/rules/file-paths.ts';
import { MAX_HTML_BYTES, MAX_PAGE_FILE_BYTES } from '../../../../contract/rules/limits.ts';
import { AppError, notFound } from '../../../lib/errors.ts';
import { type Actor, identifySender, readBody } from '../../../platform/http/index.ts';
import { digest, hexHash } from '../files/digest.ts';
import { readHtml } from '../files/html.ts';
import { sendBytes } from '../files/read.ts';
import { readIndex, replacement } from '../files/replace.ts';
import { readManifest } from '../files/store.ts';
import { refuseFile } from '../files/uploads/unpack.ts';
import { toFileList, toPageFile } from '../files/wire.ts';
import { listHashes, withFile } from '../files/write.ts';
import { findDraftDocument } from '../model/draft-store.ts';
import { type ChangedDraft, changeDraftFiles } from './change-files.ts';
import { assertRevision, type DraftContext, type DraftName, findOwnDraft } from './find.ts';
import { warningsAbout } from './warnings.ts';
import { toLinked } from './wire.ts';

/** A file of a draft. Its path is normalized. */
interface DraftFile extends DraftName {
  path: string;
}

/** The bytes of one file of a draft; of index.html, its document. */
export async function readDraftFile(
  context: DraftContext,
  actor: Actor | undefined,
  { path, ...name }: DraftFile,
  request: Request,
): Promise<Response> {
  const { db } = context;
  const { found } = await findOwnDraft(context, actor, name, 'read');
  const document = path === INDEX_PATH ? await findDraftDocument(db, name.id, name.draft) : undefined;
  const files = await readManifest(db, found.manifest_id);
  return sendBytes(context, { path, html: document?.html_content, hash: files.get(path)?.hash }, request);
}

/** Adds a file to a draft or replaces its bytes. */
export async function writeDraftFile(
  context: DraftContext,
  actor: Actor,
  { path, revision, ...name }: DraftFile & { revision?: number | undefined },
  request: Request,
): Promise<WrittenDraftFile> {
  const why = filePathFault(path);
  if (why) throw refuseFile(path, why);
  // Check access before the body is read.
  assertRevision((await findOwnDraft(context, actor, name, 'write')).found, revision);
  const limit = path === INDEX_PATH ? MAX_HTML_BYTES : MAX_PAGE_FILE_BYTES;
  const bytes = await readBody(request, limit, identifySender(actor, ''));
  const html = path === INDEX_PATH ? await readHtml(new Blob([bytes as Uint8Array<ArrayBuffer>])) : undefined;
  const sent = html ? undefined : await digest(bytes);
  const changed = await changeDraftFiles(context, actor, name, {
    revision,
    html,
    sent: sent ? [{ ...sent, content: bytes }] : [],
    next: (current) => (sent ? withFile(current, path, sent.hash) : listHashes(current)),
  });
  const file = html
    ? { hash: hexHash(html.text), size: html.size, updatedAt: changed.row.updated_at }
    : changed.files.get(path);
  if (!file) throw new Error(`${path} is not in the draft that was just saved`);
  return {
    ...(await saved(context, actor, changed, `${path} is saved in the draft.`, html?.text)),
    file: toPageFile(path, file),
  };
}

export async function deleteDraftFile(
  context: DraftContext,
  actor: Actor,
  { path, revision, ...name }: DraftFile & { revision?: number | undefined },
): Promise<SavedDraft> {
  if (path === INDEX_PATH)
    throw new AppError('BAD_REQUEST', '{path} is the draft itself. Replace it, or delete the draft.', {
      path: INDEX_PATH,
    });
  const changed = await changeDraftFiles(context, actor, name, {
    revision,
    html: undefined,
    sent: [],
    next(current) {
      const files = listHashes(current);
      if (!files.delete(path)) throw notFound('This file was not found.');
      return files;
    },
  });
  return saved(context, actor, changed, `${path} is deleted from the draft.`);
}

/** Replaces all files of a draft in one step, and its document if there is an index.html among them. */
export async function replaceDraftFiles(
  context: DraftContext,
  actor: Actor,
  { revision, ...name }: DraftName & { revision?: number | undefined },
  request: Request,
): Promise<ReplacedDraftFiles> {
  const { found } = await findOwnDraft(context, actor, name, 'write');
  assertRevision(found, revision);
  const current = await readManifest(context.db, found.manifest_id);
  const known = [...new Set([...current.values()].map(({ hash }) => hash))];
  return context.uploads.receive(request, { sender: identifySender(actor, ''), known }, async (unpacked) => {
    const html = await readIndex(unpacked);
    const changed = await changeDraftFiles(context, actor, name, {
      revision,
      html,
      ...replacement(unpacked),
    });
    return {
      ...(await saved(context, actor, changed, 'The draft is saved.', html?.text)),
      ...toFileList(changed.files),
    };
  });
}

async function saved(
  context: DraftContext,
  actor: Actor,
  { row, page, newFiles }: ChangedDraft,
  message: string,
  html?: string,
): Promise<SavedDraft> {
  return {
    success: true as const,
    message,
    draft: toLinked(row, page, context.previewLinks, actor.userId),
    warnings: await warningsAbout(context, actor, row, { html, newFiles }),
  };
}
