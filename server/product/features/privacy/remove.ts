import type { KeptBlobs } from '../../../platform/blobs/index.ts';
import type { Db } from '../../../platform/storage/index.ts';
import { imageKey } from '../images.ts';
import { deleteImages, imagesAfter } from '../store.ts';

/** Removes the pictures of a user, some at a time. */
export async function removeUserImages(
  { db, kept }: { db: Db; kept: Pick<KeptBlobs, 'release'> },
  userId: number,
): Promise<void> {
  for (let ids = await imagesAfter(db, userId, ''); ids.length > 0; ids = await imagesAfter(db, userId, '')) {
    const some = ids;
    await db.transaction().execute(async (tx) => {
      await deleteImages(tx, some);
      await kept.release(tx, some.map(imageKey));
    });
  }
}

export async function hasImages(db: Db, userId: number): Promise<boolean> {
  return (await imagesAfter(db, userId, '')).length > 0;
}
