import { sql } from 'kysely';
import { addSizes, type Sizes, sizeAt, toSizes } from '../../../lib/sizes.ts';
import { type Db, firstRow, type PageRow, statement, type Tx } from '../../../platform/storage/index.ts';
import { measureDrafts } from './draft-store.ts';
import { htmlOfVersion, SHARED_VERSION_BYTES } from './version-store.ts';

/** SQL for pages. */

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

/** The pages that are branches of this one. */
export function listBranches(
  db: Db,
  pageId: number,
): Promise<Array<Pick<PageRow, 'id' | 'slug' | 'owner_id'>>> {
  return db
    .selectFrom('pages')
    .select(['id', 'slug', 'owner_id'])
    .where('branch_of', '=', pageId)
    .orderBy('id')
    .execute();
}

/** Lists the names of pages, for lists of other slices. */
export function listPageNames(db: Db, ids: number[]) {
  return db
    .selectFrom('pages')
    .select(['id', 'name', 'slug', 'owner_id', 'storage_mode', 'is_published', 'branch_of'])
    .select(['access_mode', 'access_stamp', 'access_expires_at'])
    .select(['taken_down_at', 'taken_down_reason', 'owner_blocked_at', 'claim_hash'])
    .where('id', 'in', ids)
    .execute();
}

type PageDocument = PageRow & { html_content: string; manifest_id: number | null };

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
    .select(['page_versions.manifest_id', htmlOfVersion.as('html_content')]);
  return 'id' in by
    ? query.where('pages.id', '=', by.id).executeTakeFirst()
    : query.where('pages.slug', '=', by.slug).executeTakeFirst();
}

/** The first letters of a page's current document. */
export async function findDocumentStart(db: Db, id: number, letters: number): Promise<string | undefined> {
  const row = await db
    .selectFrom('pages')
    .innerJoin('page_versions', (join) =>
      join
        .onRef('page_versions.page_id', '=', 'pages.id')
        .onRef('page_versions.version', '=', 'pages.version'),
    )
    .select(sql<string>`substr(${htmlOfVersion}, 1, ${sql.lit(letters)})`.as('html'))
    .where('pages.id', '=', id)
    .executeTakeFirst();
  return row?.html;
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
    .select('page_versions.manifest_id')
    .select(
      sql<string | null>`case when page_versions.size <= ${maxBytes} then ${htmlOfVersion} end`.as(
        'html_content',
      ),
    );
const servedById = statement((db, id: number, maxBytes: number) =>
  served(db, maxBytes).where('pages.id', '=', id),
);
const servedBySlug = statement((db, slug: string, maxBytes: number) =>
  served(db, maxBytes).where('pages.slug', '=', slug),
);

/** Finds a page with its current document, or without it if it is larger than the limit. */
export function findServed(
  db: Db,
  key: string | number,
  maxBytes: number,
): Promise<(PageRow & { html_content: string | null; manifest_id: number | null }) | undefined> {
  return firstRow(typeof key === 'number' ? servedById(db, key, maxBytes) : servedBySlug(db, key, maxBytes));
}

/** Reads a page and locks it until this transaction ends. An update is a lock on both engines. */
export function lockPage(tx: Tx, id: number): Promise<PageRow | undefined> {
  return tx
    .updateTable('pages')
    .set((eb) => ({ id: eb.ref('id') }))
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
}

export async function updatePage(tx: Tx, id: number, changes: Partial<Omit<PageRow, 'id'>>): Promise<void> {
  await tx.updateTable('pages').set(changes).where('id', '=', id).execute();
}

export async function setPreviewImage(db: Db, id: number, path: string, now: number): Promise<void> {
  await db.updateTable('pages').set({ preview_image: path, updated_at: now }).where('id', '=', id).execute();
}

/** Pages that nobody claimed before a moment, the earliest first. */
export async function listUnclaimed(db: Db, until: number, limit: number): Promise<number[]> {
  const rows = await db
    .selectFrom('pages')
    .select('id')
    .where('claim_hash', 'is not', null)
    .where('access_expires_at', '<=', until)
    .orderBy('access_expires_at')
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

export async function deletePage(tx: Tx, id: number): Promise<void> {
  await tx.deleteFrom('pages').where('id', '=', id).execute();
}

/** The bytes that a page is charged for its versions, drafts and editing thread. */
export const storedBytes = async (db: Db, pageId: number): Promise<number> =>
  sizeAt(await measureDocuments(db, [pageId]), pageId);

/** The bytes that pages are charged for their versions, drafts and editing threads. */
export async function measureDocuments(db: Db, pageIds: number[]): Promise<Sizes> {
  const versions = await db
    .selectFrom('page_versions')
    .select([
      'page_id as id',
      sql<number>`sum(case when html_version is null then size else ${sql.lit(SHARED_VERSION_BYTES)} end
        + coalesce(octet_length(note), 0))`.as('bytes'),
    ])
    .where('page_id', 'in', pageIds)
    .groupBy('page_id')
    .execute();
  const messages = await db
    .selectFrom('page_messages')
    .select(['page_id as id', sql<number>`sum(octet_length(content))`.as('bytes')])
    .where('page_id', 'in', pageIds)
    .groupBy('page_id')
    .execute();
  return addSizes(toSizes(versions), toSizes(messages), await measureDrafts(db, pageIds));
}

const addToViews = statement((db, id: number, count: number) =>
  db
    .updateTable('pages')
    .set({ views: sql`views + ${count}` })
    .where('id', '=', id),
);

export async function addViews(db: Db, counts: Array<[id: number, count: number]>): Promise<void> {
  await db.transaction().execute(async (tx) => {
    for (const [id, count] of counts) await addToViews(tx, id, count);
  });
}

/** The pages that an owner changed last, each with the number of its drafts. */
export async function listForHome(db: Db, ownerId: number, limit: number) {
  const rows = await db
    .selectFrom('pages')
    .select(['id', 'name', 'version', 'taken_down_at'])
    .select((eb) =>
      eb
        .selectFrom('page_drafts')
        .select(eb.fn.countAll<number>().as('drafts'))
        .whereRef('page_drafts.page_id', '=', 'pages.id')
        .as('drafts'),
    )
    .where('owner_id', '=', ownerId)
    .where('branch_of', 'is', null)
    .orderBy('updated_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
  return rows.map(({ drafts, ...page }) => ({ ...page, drafts: Number(drafts ?? 0) }));
}
