import { slugStem } from '../../../contract/rules/page-slugs.ts';
import { AppError } from '../../lib/errors.ts';
import { countRows, type Db, type PageRow, type Tx } from '../../platform/storage/index.ts';
import { findPageBySlug } from './store.ts';

/** SQL for slugs: finding a free one for a new page, and redirects from earlier ones. */

export type NewPage = Omit<PageRow, 'id' | 'slug' | keyof typeof NEW>;

/** The columns of every new page. */
const NEW = {
  version: 1,
  views: 0,
  preview_image: null,
  domain: null,
  taken_down_at: null,
  taken_down_reason: null,
  owner_blocked_at: null,
  listed_at: null,
  unlisted_by_admin_at: null,
  unlisted_by_admin_reason: null,
};

/** Adds a page under the first free slug: the wished one, or the same with `-2`, `-3`, … The unique index decides. */
export async function insertPage(tx: Tx, page: NewPage, wished: string | undefined): Promise<PageRow> {
  const values = { ...page, ...NEW };
  if (wished === undefined) return insertUnderId(tx, values);
  // To insert a slug that is taken would wait for whoever changes that page, and they may be waiting for us.
  let slug = await freeSlug(tx, wished);
  for (;;) {
    const row = await tx
      .insertInto('pages')
      .values({ ...values, slug })
      .onConflict((conflict) => conflict.column('slug').doNothing())
      .returningAll()
      .executeTakeFirst();
    if (row) return row;
    slug = await nextFreeSlug(tx, wished);
  }
}

async function freeSlug(tx: Tx, wished: string): Promise<string> {
  return (await findPageBySlug(tx, wished)) ? nextFreeSlug(tx, wished) : wished;
}

/** A page whose name yields no slug is called after its id, which is known only once the row is there. */
async function insertUnderId(tx: Tx, values: Omit<PageRow, 'id' | 'slug'>): Promise<PageRow> {
  const temporary = `new ${Bun.randomUUIDv7()}`;
  const { id } = await tx
    .insertInto('pages')
    .values({ ...values, slug: temporary })
    .returning('id')
    .executeTakeFirstOrThrow();
  const slug = await freeSlug(tx, `page-${id}`);
  return tx.updateTable('pages').set({ slug }).where('id', '=', id).returningAll().executeTakeFirstOrThrow();
}

async function nextFreeSlug(tx: Tx, wished: string): Promise<string> {
  const stem = slugStem(wished);
  const isTaken = async (number: number) => (await findPageBySlug(tx, stem + number)) !== undefined;
  // Doubling, then halving: a name that a million pages have takes some forty lookups.
  let free = 2;
  while (await isTaken(free)) free *= 2;
  let taken = free / 2;
  while (free - taken > 1) {
    const middle = Math.floor((taken + free) / 2);
    if (await isTaken(middle)) taken = middle;
    else free = middle;
  }
  return stem + free;
}

/** Addresses that redirect to one page. Without a limit, renaming it again and again would fill the table. */
const MAX_OLD_SLUGS = 200;

/** Remembers the old slug as a redirect and takes the new one over from whatever redirected there. */
export async function moveSlug(tx: Tx, pageId: number, from: string | undefined, to: string): Promise<void> {
  await tx.deleteFrom('page_old_slugs').where('slug', '=', to).execute();
  if (from === undefined) return;
  const total = await countRows(tx.selectFrom('page_old_slugs').where('page_id', '=', pageId));
  if (total >= MAX_OLD_SLUGS) {
    throw new AppError(
      'QUOTA_EXCEEDED',
      `${MAX_OLD_SLUGS} earlier addresses redirect to this page, which is the limit. Go back to one of them, or fork the page.`,
    );
  }
  await tx
    .insertInto('page_old_slugs')
    .values({ slug: from, page_id: pageId })
    .onConflict((conflict) => conflict.column('slug').doUpdateSet({ page_id: pageId }))
    .execute();
}

/** Where an address that a page had before leads now. */
export async function findRenamed(db: Db, oldSlug: string): Promise<PageRow | undefined> {
  return db
    .selectFrom('page_old_slugs')
    .innerJoin('pages', 'pages.id', 'page_old_slugs.page_id')
    .selectAll('pages')
    .where('page_old_slugs.slug', '=', oldSlug)
    .executeTakeFirst();
}
