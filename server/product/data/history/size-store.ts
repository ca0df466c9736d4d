import { sql } from 'kysely';
import { addSizes, type Sizes, toSizes } from '../../../lib/sizes.ts';
import type { Db, Tx } from '../../../platform/storage/index.ts';

/** SQL for the size and the age of the record log. */

const schemaBytes = sql<number>`coalesce(sum(coalesce(octet_length(collection_changes.schema), 0) + coalesce(octet_length(collection_changes.rules), 0)), 0)`;
const logBytes = sql<number>`coalesce(sum(record_counts.log_bytes), 0)`;

/** The size of the log of these pages. */
export const sumBytes = async (db: Db, pageIds: readonly number[]): Promise<number> =>
  (await measureLogs(db, pageIds)).values().reduce((sum, bytes) => sum + bytes, 0);

/** The size of the log of each of these pages. */
export async function measureLogs(db: Db, pageIds: readonly number[]): Promise<Sizes> {
  if (pageIds.length === 0) return new Map();
  const records = await db
    .selectFrom('record_counts')
    .innerJoin('collections', 'collections.id', 'record_counts.collection_id')
    .select(['page_id as id', logBytes.as('bytes')])
    .where('page_id', 'in', pageIds)
    .groupBy('page_id')
    .execute();
  const schemas = await db
    .selectFrom('collection_changes')
    .innerJoin('collections', 'collections.id', 'collection_changes.collection_id')
    .select(['page_id as id', schemaBytes.as('bytes')])
    .where('page_id', 'in', pageIds)
    .groupBy('page_id')
    .execute();
  return addSizes(toSizes(records), toSizes(schemas));
}

/** The pages whose log of records or of schemas is larger than this. */
export async function listLargeLogs(db: Db, bytes: number): Promise<number[]> {
  const records = await db
    .selectFrom('record_counts')
    .innerJoin('collections', 'collections.id', 'record_counts.collection_id')
    .select('page_id')
    .groupBy('page_id')
    .having(logBytes, '>', bytes)
    .execute();
  const schemas = await db
    .selectFrom('collection_changes')
    .innerJoin('collections', 'collections.id', 'collection_changes.collection_id')
    .select('page_id')
    .groupBy('page_id')
    .having(schemaBytes, '>', bytes)
    .execute();
  return [...new Set([...records, ...schemas].map(({ page_id }) => page_id))];
}

/** The collections of these pages that have entries, with the time of the oldest: the oldest first. */
export async function listOldestTimes(
  db: Db,
  pageIds: readonly number[],
): Promise<Array<{ id: number; page_id: number; at: number }>> {
  const rows = await db
    .selectFrom('collections')
    .select((eb) => [
      'collections.id',
      'collections.page_id',
      eb
        .selectFrom('record_changes')
        .select((inner) => inner.fn.min('at').as('at'))
        .whereRef('record_changes.collection_id', '=', 'collections.id')
        .as('at'),
    ])
    .where('page_id', 'in', pageIds)
    .execute();
  return rows
    .flatMap(({ id, page_id, at }) => (at === null ? [] : [{ id, page_id, at: Number(at) }]))
    .sort((a, b) => a.at - b.at);
}

/** Notes that the log of collections is complete only from a time on. */
export async function setLogFrom(tx: Tx, collectionIds: number[], at: number): Promise<void> {
  if (collectionIds.length === 0) return;
  await tx
    .updateTable('collections')
    .set({ log_from: at })
    .where('id', 'in', collectionIds)
    .where('log_from', '<', at)
    .execute();
}

/** The time since when the log of all collections of a page is complete. */
export async function findLogFrom(db: Db, pageId: number): Promise<number> {
  const { at } = await db
    .selectFrom('collections')
    .select((eb) => eb.fn.max('log_from').as('at'))
    .where('page_id', '=', pageId)
    .executeTakeFirstOrThrow();
  return Number(at ?? 0);
}

/** Some entries in the order in which they were added, for a sweep. */
export function listOldest(db: Db, after: number, limit: number) {
  return db
    .selectFrom('record_changes')
    .innerJoin('collections', 'collections.id', 'record_changes.collection_id')
    .select(['record_changes.id', 'record_changes.at', 'record_changes.collection_id', 'collections.page_id'])
    .where('record_changes.id', '>', after)
    .orderBy('record_changes.id')
    .limit(limit)
    .execute();
}

/** Some entries of a collection before a time, oldest first. */
export function listBefore(db: Db, collectionId: number, before: number, limit: number) {
  return db
    .selectFrom('record_changes')
    .select(['id', 'at'])
    .where('collection_id', '=', collectionId)
    .where('at', '<', before)
    .orderBy('at')
    .orderBy('id')
    .limit(limit)
    .execute();
}

/** Removes earlier schemas from before a time, on all pages except some, or on one page. */
export async function removeOldSchemas(
  db: Db,
  before: number,
  pages: { except: number[] } | { only: number },
): Promise<void> {
  const among = db.selectFrom('collections').select('id');
  const query = db.deleteFrom('collection_changes').where('at', '<', before);
  if ('only' in pages)
    await query.where('collection_id', 'in', among.where('page_id', '=', pages.only)).execute();
  else if (pages.except.length === 0) await query.execute();
  else await query.where('collection_id', 'not in', among.where('page_id', 'in', pages.except)).execute();
}
