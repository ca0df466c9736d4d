import { sql } from 'kysely';
import { slugStem } from '../../../contract/rules/page-slugs.ts';
import { AppError } from '../../lib/errors.ts';
import {
  contains,
  type Db,
  firstRow,
  type PageRow,
  statement,
  type Tx,
} from '../../platform/storage/index.ts';

/** SQL of pages. */

export type NewPage = Omit<PageRow, 'id' | 'slug' | 'version' | 'views' | 'preview_image'>;

const pageById = statement((db, id: number) => db.selectFrom('pages').selectAll().where('id', '=', id));
const pageBySlug = statement((db, slug: string) =>
  db.selectFrom('pages').selectAll().where('slug', '=', slug),
);

export function findPage(db: Db, id: number): Promise<PageRow | undefined> {
  return firstRow(pageById(db, id));
}

export function findPageBySlug(db: Db, slug: string): Promise<PageRow | undefined> {
  return firstRow(pageBySlug(db, slug));
}

/** What lists of other slices show of pages. */
export function listPageNames(db: Db, ids: number[]) {
  return db
    .selectFrom('pages')
    .select(['id', 'name', 'slug', 'owner_id', 'storage_mode'])
    .where('id', 'in', ids)
    .execute();
}

export type PageDocument = PageRow & { html_content: string };

/** A page with its current document. */
export function findDocument(
  db: Db,
  by: { id: number } | { slug: string },
): Promise<PageDocument | undefined> {
  const query = db
    .selectFrom('pages')
    .innerJoin('page_versions', (join) =>
      join
        .onRef('page_versions.page_id', '=', 'pages.id')
        .onRef('page_versions.version', '=', 'pages.version'),
    )
    .selectAll('pages')
    .select('page_versions.html_content');
  return 'id' in by
    ? query.where('pages.id', '=', by.id).executeTakeFirst()
    : query.where('pages.slug', '=', by.slug).executeTakeFirst();
}

const served = (db: Db, maxBytes: number) =>
  db
    .selectFrom('pages')
    .innerJoin('page_versions', (join) =>
      join
        .onRef('page_versions.page_id', '=', 'pages.id')
        .onRef('page_versions.version', '=', 'pages.version'),
    )
    .selectAll('pages')
    .select(
      sql<string | null>`case when page_versions.size <= ${maxBytes} then page_versions.html_content end`.as(
        'html_content',
      ),
    );
const servedById = statement((db, id: number, maxBytes: number) =>
  served(db, maxBytes).where('pages.id', '=', id),
);
const servedBySlug = statement((db, slug: string, maxBytes: number) =>
  served(db, maxBytes).where('pages.slug', '=', slug),
);

/** A page with its current document, unless that is larger: then without. */
export function findServed(
  db: Db,
  key: string | number,
  maxBytes: number,
): Promise<(PageRow & { html_content: string | null }) | undefined> {
  return firstRow(typeof key === 'number' ? servedById(db, key, maxBytes) : servedBySlug(db, key, maxBytes));
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

/** Reads a page so that nobody else changes it before this transaction ends. An update is a lock on both engines. */
export function lockPage(tx: Tx, id: number): Promise<PageRow | undefined> {
  return tx
    .updateTable('pages')
    .set((eb) => ({ id: eb.ref('id') }))
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
}

/** Adds a page under the first free slug: the wished one, or the same with `-2`, `-3`, … The unique index decides. */
export async function insertPage(tx: Tx, page: NewPage, wished: string | undefined): Promise<PageRow> {
  const values = { ...page, version: 1, views: 0, preview_image: null };
  if (wished === undefined) return insertUnderId(tx, values);
  let slug = wished;
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

/** A page whose name yields no slug is called after its id, which is known only once the row is there. */
async function insertUnderId(tx: Tx, values: Omit<PageRow, 'id' | 'slug'>): Promise<PageRow> {
  const temporary = `new ${Bun.randomUUIDv7()}`;
  const { id } = await tx
    .insertInto('pages')
    .values({ ...values, slug: temporary })
    .returning('id')
    .executeTakeFirstOrThrow();
  const wished = `page-${id}`;
  const slug = (await findPageBySlug(tx, wished)) ? await nextFreeSlug(tx, wished) : wished;
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
  const { total } = await tx
    .selectFrom('page_old_slugs')
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .where('page_id', '=', pageId)
    .executeTakeFirstOrThrow();
  if (Number(total) >= MAX_OLD_SLUGS) {
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

export async function updatePage(tx: Tx, id: number, changes: Partial<Omit<PageRow, 'id'>>): Promise<void> {
  await tx.updateTable('pages').set(changes).where('id', '=', id).execute();
}

export async function setPreviewImage(db: Db, id: number, path: string, now: number): Promise<void> {
  await db.updateTable('pages').set({ preview_image: path, updated_at: now }).where('id', '=', id).execute();
}

export async function deletePage(tx: Tx, id: number): Promise<void> {
  await tx.deleteFrom('pages').where('id', '=', id).execute();
}

export async function listPages(
  db: Db,
  filter: { ownerId: number; q?: string | undefined; limit: number; offset: number },
): Promise<{ rows: PageRow[]; total: number }> {
  let query = db.selectFrom('pages').where('owner_id', '=', filter.ownerId);
  if (filter.q) {
    query = query.where(contains(filter.q, ['name', 'slug', 'description']));
  }
  const rows = await query
    .selectAll()
    .orderBy('updated_at', 'desc')
    .orderBy('id', 'desc')
    .limit(filter.limit)
    .offset(filter.offset)
    .execute();
  const { total } = await query
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  return { rows, total };
}

export async function insertVersion(
  tx: Tx,
  version: { pageId: number; version: number; html: string; size: number; authorId: number; now: number },
): Promise<void> {
  await tx
    .insertInto('page_versions')
    .values({
      page_id: version.pageId,
      version: version.version,
      html_content: version.html,
      size: version.size,
      content_hash: hashHtml(version.html),
      author_id: version.authorId,
      created_at: version.now,
    })
    .execute();
}

export function hashHtml(html: string): string {
  return new Bun.CryptoHasher('sha256').update(html).digest('base64url');
}

export async function findVersion(db: Db, pageId: number, version: number) {
  return versions(db, pageId)
    .select(['page_versions.html_content', 'page_versions.content_hash'])
    .where('version', '=', version)
    .executeTakeFirst();
}

export type VersionRow = Awaited<ReturnType<typeof listVersions>>[number];

/** The last versions, or the last before one of them, newest first. */
export function listVersions(db: Db, pageId: number, before: number | undefined, limit: number) {
  return versions(db, pageId)
    .$if(before !== undefined, (query) => query.where('version', '<', before ?? 0))
    .orderBy('version', 'desc')
    .limit(limit)
    .execute();
}

function versions(db: Db, pageId: number) {
  return db
    .selectFrom('page_versions')
    .leftJoin('users', 'users.id', 'page_versions.author_id')
    .select([
      'page_versions.version',
      'page_versions.size',
      'page_versions.created_at',
      'users.username as author',
    ])
    .where('page_id', '=', pageId);
}

export async function currentHash(db: Db, page: PageRow): Promise<string> {
  const { content_hash } = await db
    .selectFrom('page_versions')
    .select('content_hash')
    .where('page_id', '=', page.id)
    .where('version', '=', page.version)
    .executeTakeFirstOrThrow();
  return content_hash;
}

/** What a page's versions and messages take up. */
export async function storedBytes(db: Db, pageId: number): Promise<number> {
  const versions = await db
    .selectFrom('page_versions')
    .select((eb) => eb.fn.coalesce(eb.fn.sum<number>('size'), sql<number>`0`).as('bytes'))
    .where('page_id', '=', pageId)
    .executeTakeFirstOrThrow();
  const messages = await db
    .selectFrom('page_messages')
    .select(sql<number>`coalesce(sum(octet_length(content)), 0)`.as('bytes'))
    .where('page_id', '=', pageId)
    .executeTakeFirstOrThrow();
  return Number(versions.bytes) + Number(messages.bytes);
}

export async function addViews(db: Db, counts: Map<number, number>): Promise<void> {
  await db.transaction().execute(async (tx) => {
    // In the order of ids, so that two nodes writing at once cannot wait for each other in a circle.
    for (const [id, count] of [...counts].sort(([a], [b]) => a - b)) {
      await tx
        .updateTable('pages')
        .set({ views: sql`views + ${count}` })
        .where('id', '=', id)
        .execute();
    }
  });
}
