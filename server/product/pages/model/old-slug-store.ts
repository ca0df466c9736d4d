import { countRows, type Db, type PageRow, type Tx } from '../../../platform/storage/index.ts';

/** SQL for slugs that a page had before: they redirect to it, and are reserved for its owner. */

/** How long a slug stays reserved after the page left it. */
export const RESERVED_MS = 365 * 24 * 3600 * 1000;

/** The owner that a slug is reserved for; undefined if it is not reserved. */
export async function reservedFor(db: Db, slug: string, now: number): Promise<number | undefined> {
  const row = await db
    .selectFrom('page_old_slugs')
    .innerJoin('pages', 'pages.id', 'page_old_slugs.page_id')
    .select('pages.owner_id')
    .where('page_old_slugs.slug', '=', slug)
    .where((eb) => eb.or([eb('left_at', 'is', null), eb('left_at', '>', now - RESERVED_MS)]))
    .executeTakeFirst();
  return row?.owner_id;
}

/** Finds the page that had a slug before. */
export async function findRenamed(db: Db, oldSlug: string): Promise<PageRow | undefined> {
  return db
    .selectFrom('page_old_slugs')
    .innerJoin('pages', 'pages.id', 'page_old_slugs.page_id')
    .selectAll('pages')
    .where('page_old_slugs.slug', '=', oldSlug)
    .executeTakeFirst();
}

export function countOldSlugs(tx: Tx, pageId: number): Promise<number> {
  return countRows(tx.selectFrom('page_old_slugs').where('page_id', '=', pageId));
}

export function listOldSlugs(db: Db, pageId: number) {
  return db
    .selectFrom('page_old_slugs')
    .select(['slug', 'left_at'])
    .where('page_id', '=', pageId)
    .orderBy('left_at', 'desc')
    .orderBy('slug')
    .execute();
}

export async function insertOldSlug(tx: Tx, pageId: number, slug: string, now: number): Promise<void> {
  const left = { page_id: pageId, left_at: now };
  await tx
    .insertInto('page_old_slugs')
    .values({ slug, ...left })
    .onConflict((conflict) => conflict.column('slug').doUpdateSet(left))
    .execute();
}

/** Frees a slug, of any page or only of this one. False if it was free. */
export async function deleteOldSlug(db: Db, slug: string, pageId?: number): Promise<boolean> {
  let query = db.deleteFrom('page_old_slugs').where('slug', '=', slug);
  if (pageId !== undefined) query = query.where('page_id', '=', pageId);
  return (await query.executeTakeFirst()).numDeletedRows > 0n;
}

/** Frees the slugs that are no longer reserved. For those of unknown age, the time begins now. */
export async function purgeOldSlugs(db: Db, now: number): Promise<void> {
  await db.updateTable('page_old_slugs').set({ left_at: now }).where('left_at', 'is', null).execute();
  await db
    .deleteFrom('page_old_slugs')
    .where('left_at', '<=', now - RESERVED_MS)
    .execute();
}
