import type { Db, PagePictureRow, Tx } from '../../../platform/storage/index.ts';

/** SQL for the pictures of pages. */

/** By the id of their page. */
export async function findPictures(db: Db, pageIds: number[]): Promise<Map<number, PagePictureRow>> {
  if (pageIds.length === 0) return new Map();
  const rows = await db.selectFrom('page_pictures').selectAll().where('page_id', 'in', pageIds).execute();
  return new Map(rows.map((row) => [row.page_id, row]));
}

export async function findPicture(db: Db, pageId: number): Promise<PagePictureRow | undefined> {
  return (await findPictures(db, [pageId])).get(pageId);
}

/** Claims the picture of a version. False if somebody else takes it, or did. An earlier picture stays until then. */
export async function claimPicture(
  db: Db,
  { pageId, version, now }: { pageId: number; version: number; now: number },
): Promise<boolean> {
  const claimed = await db
    .insertInto('page_pictures')
    .values({ page_id: pageId, version, blob_key: null, size: 0, width: 0, height: 0, created_at: now })
    .onConflict((conflict) =>
      conflict.column('page_id').doUpdateSet({ version }).where('page_pictures.version', '<', version),
    )
    .returning('page_id')
    .executeTakeFirst();
  return claimed !== undefined;
}

/** Replaces the picture of a page. False if the page is gone, or a newer version is claimed. */
export async function savePicture(
  tx: Tx,
  { pageId, version, ...picture }: Omit<PagePictureRow, 'page_id'> & { pageId: number },
): Promise<boolean> {
  const saved = await tx
    .updateTable('page_pictures')
    .set(picture)
    .where('page_id', '=', pageId)
    .where('version', '=', version)
    .returning('page_id')
    .executeTakeFirst();
  return saved !== undefined;
}

/** Lets the picture of a version be taken again, because it failed. */
export async function releaseClaim(db: Db, pageId: number, version: number): Promise<void> {
  await db
    .updateTable('page_pictures')
    .set({ version: 0 })
    .where('page_id', '=', pageId)
    .where('version', '=', version)
    .execute();
}
