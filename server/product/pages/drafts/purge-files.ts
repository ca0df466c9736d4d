import type { PageRow, Tx } from '../../../platform/storage/index.ts';
import { deleteManifest, draftBlobs, draftManifests } from '../files/draft-store.ts';
import { readManifest } from '../files/store.ts';
import { listDrafts } from '../model/draft-store.ts';
import type { DraftContext } from './find.ts';

/**
 * Deletes the files that only drafts had, and none has any more. The page is locked. Adds no files in the same
 * transaction: rows of blobs are locked in one order, and two lists would be two orders.
 */
export async function purgeDraftFiles(
  context: Pick<DraftContext, 'chargeUsage' | 'files'>,
  tx: Tx,
  page: PageRow,
): Promise<void> {
  const manifests = await draftManifests(tx, page.id);
  if (manifests.length === 0) return;
  const used = new Set((await listDrafts(tx, page.id)).map(({ manifest_id }) => manifest_id));
  const unused = manifests.filter((id) => !used.has(id));
  if (unused.length === 0) return;
  let bytes = 0;
  for (const id of unused) bytes += await deleteManifest(tx, id);
  const blobs = await draftBlobs(tx, page.id);
  for (const id of manifests)
    if (used.has(id)) for (const { hash } of (await readManifest(tx, id)).values()) blobs.delete(hash);
  for (const size of blobs.values()) bytes += size;
  await context.chargeUsage(tx, page.owner_id, { bytes: -bytes });
  await context.files.releaseSome(tx, page.id, [...blobs.keys()]);
}

/** Deletes the files that no draft has any more, in a transaction of its own. */
export async function purgeAfterChange(
  context: Pick<DraftContext, 'db' | 'directory' | 'chargeUsage' | 'files'>,
  pageId: number,
): Promise<void> {
  await context.db.transaction().execute(async (tx) => {
    const page = await context.directory.lock(tx, pageId);
    if (page) await purgeDraftFiles(context, tx, page);
  });
}
