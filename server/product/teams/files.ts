import { notFound } from '../../lib/errors.ts';
import {
  type Actor,
  downloadHeaders,
  identifySender,
  type SignedInCaller,
  withSize,
} from '../../platform/http/index.ts';
import type { Tx } from '../../platform/storage/index.ts';
import type { TeamsContext } from './context.ts';
import { assertFewer } from './limits.ts';
import { findTeam, lockTeam, type Team } from './rules.ts';
import { deleteFile, type FileRow, findFile, insertFile, listFileSizes, listFiles } from './store.ts';
import { readUpload } from './upload.ts';

/** The key of a file's bytes. Folders keep the number of files in each small, and have no other meaning. */
export const fileKey = (id: string) => `team-files/${id.slice(-2)}/${id}`;

/** Adds a file to the team's folder, and charges the page's owner. */
export async function uploadFile(
  context: TeamsContext,
  caller: SignedInCaller,
  idOrSlug: string,
  request: Request,
): Promise<FileRow> {
  const { now, kept } = context;
  const { actor } = caller;
  // 1. Check access before anything is read.
  assertMayUpload(context, await findTeam(context, idOrSlug, caller), actor);
  const { name, contentType, bytes } = await readUpload(request, identifySender(actor, ''));

  // 2. Store the bytes, then their row and their charge.
  const moment = now();
  const id = Bun.randomUUIDv7('hex', moment);
  return kept.keep(fileKey(id), bytes, async (tx) => {
    const team = await lockTeam(context, tx, idOrSlug, caller);
    assertMayUpload(context, team, actor);
    const file = {
      id,
      page_id: team.page.id,
      name,
      content_type: contentType,
      size: bytes.byteLength,
      uploaded_by: actor.userId,
      created_at: moment,
    };
    await assertFewer(tx, 'team_files', team.page.id);
    await insertFile(tx, file);
    await context.chargeUsage(tx, team.page.owner_id, { bytes: file.size }, actor.userId);
    return { ...file, username: actor.username };
  });
}

export async function readFiles(
  context: TeamsContext,
  caller: SignedInCaller,
  idOrSlug: string,
): Promise<FileRow[]> {
  const { page } = await findReadable(context, caller, idOrSlug);
  return listFiles(context.db, page.id);
}

/** Sends a file as a download. */
export async function downloadFile(
  context: TeamsContext,
  caller: SignedInCaller,
  idOrSlug: string,
  id: string,
): Promise<Response> {
  const { page } = await findReadable(context, caller, idOrSlug);
  const file = await findFile(context.db, page.id, id);
  // Stream the file instead of reading it into memory: clients can be slow, and many.
  const bytes = file && (await context.kept.slice(fileKey(id)));
  if (!bytes) throw notFound('This file was not found.');
  const response = new Response(bytes, { headers: downloadHeaders(file) });
  return withSize(response, { bytes: file.size, from: 'whole' });
}

export async function removeFile(
  context: TeamsContext,
  caller: SignedInCaller,
  idOrSlug: string,
  id: string,
): Promise<void> {
  await context.db.transaction().execute(async (tx) => {
    const { page, role } = await lockTeam(context, tx, idOrSlug, caller);
    const file = await findFile(tx, page.id, id);
    if (!file) throw notFound('This file was not found.');
    context.demandFileAccess({ userId: caller.actor.userId, role }, 'delete', {
      createdBy: file.uploaded_by,
    });
    await deleteFile(tx, page.id, id);
    await context.chargeUsage(tx, page.owner_id, { bytes: -file.size });
    await context.kept.release(tx, [fileKey(id)]);
  });
}

/** Removes a page's files when it is deleted. Returns the freed bytes. */
export function removeFilesWithPage({ kept }: Pick<TeamsContext, 'kept'>) {
  return async (tx: Tx, page: { id: number }): Promise<number> => {
    const files = await listFileSizes(tx, page.id);
    if (files.length > 0)
      await kept.release(
        tx,
        files.map(({ id }) => fileKey(id)),
      );
    return files.reduce((sum, { size }) => sum + size, 0);
  };
}

async function findReadable(context: TeamsContext, caller: SignedInCaller, idOrSlug: string): Promise<Team> {
  const team = await findTeam(context, idOrSlug, caller);
  context.demandFileAccess({ userId: caller.actor.userId, role: team.role }, 'read');
  return team;
}

function assertMayUpload({ demandFileAccess }: TeamsContext, { role }: Team, { userId }: Actor): void {
  demandFileAccess({ userId, role }, 'create');
}
