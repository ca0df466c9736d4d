import { notFound } from '../../../lib/errors.ts';
import type { Actor } from '../../../platform/http/index.ts';
import type { PageRow, Tx } from '../../../platform/storage/index.ts';
import type { ChangeContext } from '../model/change-context.ts';
import { lockPage } from '../model/page-store.ts';
import { findNote, findVersion, updateNote, type VersionRow } from '../model/version-store.ts';

/** Changes the note of a version. Returns the version. */
export function changeNote(
  context: Pick<ChangeContext, 'db' | 'directory' | 'chargeUsage'>,
  actor: Actor,
  { id, version, note }: { id: number; version: number; note: string },
): Promise<{ page: PageRow; row: VersionRow }> {
  return context.db.transaction().execute(async (tx) => {
    const page = await context.directory.require(tx, await lockPage(tx, id), actor, 'write');
    await setNote(context, tx, page, version, note);
    const row = await findVersion(tx, id, version);
    if (!row) throw noVersion(version);
    return { page, row };
  });
}

/** Sets the note of a version of a page that is locked, and charges its owner for the difference. */
export async function setNote(
  context: Pick<ChangeContext, 'chargeUsage'>,
  tx: Tx,
  page: PageRow,
  version: number,
  note: string,
): Promise<void> {
  const found = await findNote(tx, page.id, version);
  if (!found) throw noVersion(version);
  const bytes = Buffer.byteLength(note) - Buffer.byteLength(found.note ?? '');
  if (bytes !== 0) await context.chargeUsage(tx, page.owner_id, { bytes });
  await updateNote(tx, page.id, version, note || null);
}

const noVersion = (version: number) =>
  notFound('Version {version} of this page was not found.', { version: String(version) });
