import { type Sizes, toSizes } from '../../lib/sizes.ts';
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

/** The bytes that pages are charged for images that belong to them. */
export async function measureImages(db: Db, pageIds: number[]): Promise<Sizes> {
  const query = db
    .selectFrom('images')
    .select((eb) => ['page_id as id', eb.fn.sum<number | string>('size').as('bytes')]);
  return toSizes(await query.where('page_id', 'in', pageIds).groupBy('page_id').execute());
}

/** The images that belong to a page itself. */
export function listPageImages(db: Db, pageId: number) {
  return db.selectFrom('images').select(['id', 'size']).where('page_id', '=', pageId).execute();
}

/** The ids of some images of a user, in their order. */
export async function imagesAfter(db: Db, ownerId: number, after: string): Promise<string[]> {
  const rows = await db
    .selectFrom('images')
    .select('id')
    .where('owner_id', '=', ownerId)
    .where('id', '>', after)
    .orderBy('id')
    .limit(200)
    .execute();
  return rows.map(({ id }) => id);
}

export async function deleteImages(tx: Tx, ids: string[]): Promise<void> {
  await tx.deleteFrom('images').where('id', 'in', ids).execute();
}
