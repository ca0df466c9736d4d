import type { KeptBlobs } from '../../../platform/blobs/index.ts';
import type { Db } from '../../../platform/storage/index.ts';
import { screenshotKey } from '../screenshots.ts';
import { deleteScreenshots, listPast } from '../store.ts';

/** Removes the screenshots of a user. */
export async function removeUserScreenshots(
  { db, kept }: { db: Db; kept: Pick<KeptBlobs, 'release'> },
  userId: number,
): Promise<void> {
  for (let isDone = false; !isDone; )
    await db.transaction().execute(async (tx) => {
      const ids = await listPast(tx, userId, 0);
      await deleteScreenshots(tx, ids);
      if (ids.length > 0) await kept.release(tx, ids.map(screenshotKey));
      isDone = ids.length === 0;
    });
}

/** Whether a user has a screenshot. */
export async function hasScreenshots(db: Db, userId: number): Promise<boolean> {
  const row = await db
    .selectFrom('screenshots')
    .select('id')
    .where('owner_id', '=', userId)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}
