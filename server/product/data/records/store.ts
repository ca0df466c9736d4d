import { type RawBuilder, sql } from 'kysely';
import type { StorageType } from '../../../../contract/rules/storage-modes.ts';
import { countRows, type Db, firstRow, statement, type Tx } from '../../../platform/storage/index.ts';

/** SQL for records. */

export interface RecordRow {
  id: string;
  /** The data, as JSON. */
  text: string;
  size: number;
  created_by: number;
  username: string;
  created_at: number;
  updated_at: number;
}

const recordById = statement((db, collectionId: number, id: string) =>
  selectRecords(db, { collectionId }).where('records.id', '=', id),
);

export async function findRecord(db: Db, collectionId: number, id: string): Promise<RecordRow | undefined> {
  return firstRow(recordById(db, collectionId, id));
}

/** Who created these records of a collection, and when they were last written. */
export function listWritten(db: Db, collectionId: number, ids: readonly string[]) {
  return db
    .selectFrom('records')
    .select(['created_by', 'updated_at'])
    .where('collection_id', '=', collectionId)
    .where('id', 'in', ids)
    .execute();
}

/** Finds the records with these ids that still exist, in any of these collections of a page. */
export function findRecords(
  db: Db,
  { pageId, storageType, names }: { pageId: number; storageType: StorageType; names: string[] },
  ids: string[],
): Promise<Array<RecordRow & { collection: string }>> {
  return withAuthors(db.selectFrom('records').where('records.id', 'in', ids))
    .innerJoin('collections', 'collections.id', 'records.collection_id')
    .select('collections.name as collection')
    .where('collections.page_id', '=', pageId)
    .where('collections.storage_type', '=', storageType)
    .where('collections.name', 'in', names)
    .execute();
}

/** Deletes the oldest records of a collection if it has more. Returns the rows, for the counts. */
export async function deleteOldest(tx: Tx, collectionId: number, count: number) {
  const records = tx.selectFrom('records').where('collection_id', '=', collectionId).orderBy('id');
  const next = await records.select('id').offset(count).limit(1).executeTakeFirst();
  if (!next) return [];
  return tx
    .deleteFrom('records')
    .where('collection_id', '=', collectionId)
    .where('id', '<', next.id)
    .returning(['created_by', 'size'])
    .execute();
}

/** Selects records: those of a collection, optionally of one creator or with a condition. */
export interface Selection {
  collectionId: number;
  createdBy?: number | undefined;
  where?: RawBuilder<unknown> | undefined;
  /** Rows with a `record_id`. Records without such a row are left out. */
  candidates?: RawBuilder<{ record_id: string }> | undefined;
}

/** Selects a part of a list. */
interface Page {
  keys: RawBuilder<unknown>[];
  order: 'asc' | 'desc';
  limit: number;
  offset: number;
  /** The record to continue from, forwards or backwards. */
  cursor?: { id: string; direction: 'after' | 'before' } | undefined;
}

/** A row with the number of records in the collection; null if it has rules. */
type CountedRow = RecordRow & { total: number | null };

/**
 * The newest records, one statement per limit: PostgreSQL plans a statement once only if it knows how many rows are
 * wanted. The collection is a subquery, so that both engines read its newest records from the index.
 */
const selectNewest = (limit: number) =>
  statement((db, pageId: number, storageType: StorageType, name: string, userId: number) => {
    const collection = db
      .selectFrom('collections')
      .select('id')
      .where('page_id', '=', pageId)
      .where('storage_type', '=', storageType)
      .where('name', '=', name);
    const total = db
      .selectFrom('record_counts')
      .select('records')
      .where('collection_id', '=', collection.where('rules', 'is', null))
      .where('user_id', '=', userId);
    return withAuthors(db.selectFrom('records').where('records.collection_id', '=', collection))
      .select(total.$asScalar().as('total'))
      .orderBy('records.id', 'desc')
      .limit(sql.lit(limit));
  });
const newest = new Map<number, ReturnType<typeof selectNewest>>();

/** The most frequent kind of list, in one statement: the newest records of a collection, and how many there are. */
export async function listNewest(
  db: Db,
  { pageId, storageType, name }: { pageId: number; storageType: StorageType; name: string },
  userId: number,
  limit: number,
): Promise<CountedRow[]> {
  const list = newest.get(limit) ?? selectNewest(limit);
  newest.set(limit, list);
  return (await list(db, pageId, storageType, name, userId)).rows;
}

export async function listRecords(db: Db, selection: Selection, page: Page): Promise<RecordRow[]> {
  const { keys, cursor } = page;
  const isBackwards = cursor?.direction === 'before';
  const isAscending = (page.order === 'asc') !== isBackwards;
  let query = selectRecords(db, selection);
  if (cursor) {
    const sign = isAscending ? sql`>` : sql`<`;
    const here = sql`(select ${sql.join(keys)} from records where records.collection_id = ${selection.collectionId} and records.id = ${cursor.id} ${ofCreator(selection)})`;
    // Sorting by age does not need the record itself, which may have been deleted.
    const bound = keys.length === 1 ? sql`${cursor.id}` : here;
    query = query.where(sql<boolean>`(${sql.join(keys)}) ${sign} ${bound}`);
  }
  for (const key of keys) query = query.orderBy(sql`${key} ${isAscending ? sql`asc` : sql`desc`}`);
  return query.limit(page.limit).offset(page.offset).execute();
}

export function countRecords(db: Db, selection: Selection): Promise<number> {
  return countRows(selected(db, selection));
}

/** How many records one creator has in a collection, up to a number. */
export function countOwnUpTo(db: Db, collectionId: number, createdBy: number, most: number): Promise<number> {
  const some = db
    .selectFrom('records')
    .select('id')
    .where('created_by', '=', createdBy)
    .where('collection_id', '=', collectionId)
    .limit(most);
  return countRows(db.selectFrom(some.as('some')));
}

/** How many records one creator has in each of these collections, and when the last one changed. */
export function countOwn(db: Db, collectionIds: number[], createdBy: number) {
  return db
    .selectFrom('records')
    .select((eb) => [
      'collection_id',
      eb.fn.countAll<number>().as('records'),
      eb.fn.max('updated_at').as('updated_at'),
    ])
    .where('collection_id', 'in', collectionIds)
    .where('created_by', '=', createdBy)
    .groupBy('collection_id')
    .execute();
}

/**
 * Counts records by the JSON text of a value, of which `maxLetters` + 1 characters are read; null if there is none.
 */
export async function countGroups(
  db: Db,
  selection: Selection,
  value: RawBuilder<unknown>,
  { limit, maxLetters }: { limit: number; maxLetters: number },
): Promise<Array<{ value: string | null; count: number }>> {
  const rows = await selected(db, selection)
    .select((eb) => [
      sql<string | null>`substr(${value}, 1, ${maxLetters + 1})`.as('value'),
      eb.fn.countAll<number>().as('count'),
    ])
    .groupBy(sql`1`)
    .orderBy('count', 'desc')
    .limit(limit)
    .execute();
  return rows.map((row) => ({ value: row.value, count: Number(row.count) }));
}

function selected(db: Db, { collectionId, createdBy, where, candidates }: Selection) {
  let query = (candidates ? fromCandidates(db, candidates) : fromRecords(db)).where(
    'records.collection_id',
    '=',
    collectionId,
  );
  if (createdBy !== undefined) query = query.where('records.created_by', '=', createdBy);
  if (where) query = query.where(sql<boolean>`${where}`);
  return query;
}

/** SQLite reads the left side of a cross join first. */
function fromCandidates(db: Db, candidates: RawBuilder<{ record_id: string }>) {
  const query = db
    .selectFrom(candidates.as('candidates'))
    .crossJoin('records')
    .whereRef('records.id', '=', 'candidates.record_id');
  return query as unknown as ReturnType<typeof fromRecords>;
}

const fromRecords = (db: Db) => db.selectFrom('records');

/** The records with these ids, in any order. */
export function findSelected(db: Db, selection: Selection, ids: string[]): Promise<RecordRow[]> {
  if (ids.length === 0) return Promise.resolve([]);
  return selectRecords(db, selection).where('records.id', 'in', ids).execute();
}

/** The ids of all these records, in the order of some keys. */
export async function listIdsInOrder(
  db: Db,
  selection: Selection,
  { keys, isAscending }: { keys: RawBuilder<unknown>[]; isAscending: boolean },
): Promise<string[]> {
  let query = selected(db, selection).select('records.id');
  for (const key of keys) query = query.orderBy(sql`${key} ${isAscending ? sql`asc` : sql`desc`}`);
  return (await query.execute()).map(({ id }) => id);
}

/** Records with the names of their authors. */
export function selectRecords(db: Db, selection: Selection) {
  return withAuthors(selected(db, selection));
}

function withAuthors(query: ReturnType<typeof selected>) {
  return query.innerJoin('users', 'users.id', 'records.created_by').select([
    'records.id',
    // PostgreSQL would return `data` parsed, and with sorted keys.
    sql<string>`coalesce(records.text, cast(records.data as text))`.as('text'),
    'records.size',
    'records.created_by',
    'users.username',
    'records.created_at',
    'records.updated_at',
  ]);
}

/** The condition for one creator: the order of a user's own records must not reveal whose record a cursor names. */
function ofCreator({ createdBy }: Selection): RawBuilder<unknown> {
  return createdBy === undefined ? sql`` : sql`and records.created_by = ${createdBy}`;
}
