import type { Db, PagePictureRow, Tx } from '../../../platform/storage/index.ts';

/** SQL for the pictures of pages. */

/** Finds pictures by the ids of their pages. */
export async function findPictures(db: Db, pageIds: number[]): Promise<Map<number, PagePictureRow>> {
  if (pageIds.length === 0) return new Map();
  const rows = await db.selectFrom('page_pictures').selectAll().where('page_id', 'in', pageIds).execute();
  return new Map(rows.map((row) => [row.page_id, row]));
}

export async function findPicture(db: Db, pageId: number): Promise<PagePictureRow | undefined> {
  return (await findPictures(db, [pageId])).get(pageId);
}

/** How long a claim lasts: longer than a picture can take. */
const CLAIM_MS = 5 * 60_000;

/** Whether nobody has tried to photograph a version, or somebody did and was killed. */
export function needsPicture(row: PagePictureRow | undefined, version: number, now: number): boolean {
  if (!row || row.version < version) return true;
  return row.claimed_until !== null && row.claimed_until <= now;
}

/** Claims the picture of a version. False if somebody else takes it, or did. An earlier picture stays until then. */
export async function claimPicture(
  db: Db,
  { pageId, version, now }: { pageId: number; version: number; now: number },
): Promise<boolean> {
  const claim = { version, claimed_until: now + CLAIM_MS };
  const nothing = { blob_key: null, size: 0, width: 0, height: 0, created_at: now };
  const claimed = await db
    .insertInto('page_pictures')
    .values({ page_id: pageId, ...claim, ...nothing })
    .onConflict((conflict) =>
      conflict
        .column('page_id')
        .doUpdateSet(claim)
        .where(({ eb, or, and }) =>
          or([
            eb('page_pictures.version', '<', version),
            and([eb('page_pictures.version', '=', version), eb('page_pictures.claimed_until', '<=', now)]),
          ]),
        ),
    )
    .returning('page_id')
    .executeTakeFirst();
  return claimed !== undefined;
}

/** Replaces the picture of a page, and ends the claim. False if the page is gone, or a newer version is claimed. */
export async function savePicture(
  tx: Tx,
  { pageId, version, ...picture }: Omit<PagePictureRow, 'page_id' | 'claimed_until'> & { pageId: number },
): Promise<boolean> {
  const saved = await tx
    .updateTable('page_pictures')
    .set({ ...picture, claimed_until: null })
    .where('page_id', '=', pageId)
    .where('version', '=', version)
    .returning('page_id')
    .executeTakeFirst();
  return saved !== undefined;
}

/** Lets the picture of a version be taken again, because it failed. */
export function releaseClaim(db: Db, pageId: number, version: number): Promise<void> {
  return changeClaim(db, pageId, version, { version: 0, claimed_until: null });
}

/** Keeps the picture of a version from being taken again, because there is nothing to see. */
export function endClaim(db: Db, pageId: number, version: number): Promise<void> {
  return changeClaim(db, pageId, version, { claimed_until: null });
}

async function changeClaim(
  db: Db,
  pageId: number,
  version: number,
  changes: Partial<Pick<PagePictureRow, 'version' | 'claimed_until'>>,
): Promise<void> {
  await db
    .updateTable('page_pictures')
    .set(changes)
    .where('page_id', '=', pageId)
    .where('version', '=', version)
    .execute();
}
