import type { Db, Tx } from '../../platform/storage/index.ts';

/** SQL for images. */

export function findImage(db: Db, id: string) {
  return db.selectFrom('images').selectAll().where('id', '=', id).executeTakeFirst();
}

export async function insertImage(
  tx: Tx,
  image: {
    id: string;
    ownerId: number;
    pageId: number | null;
    contentType: string;
    size: number;
    now: number;
  },
): Promise<void> {
  await tx
    .insertInto('images')
    .values({
      id: image.id,
      owner_id: image.ownerId,
      page_id: image.pageId,
      content_type: image.contentType,
      size: image.size,
      created_at: image.now,
    })
    .execute();
}

/** The images that belong to a page itself. */
export function listImagesOf(db: Db, pageId: number) {
  return db.selectFrom('images').select(['id', 'size']).where('page_id', '=', pageId).execute();
}
