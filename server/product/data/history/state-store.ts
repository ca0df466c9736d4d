import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../../platform/storage/index.ts';
import type { RecordRow } from '../records/store.ts';

/**
 * SQL for records as they were. At a time, a record was what the first entry of the log from then on says; without
 * such an entry it was what it is now, if it had been created.
 */

/** What a record was before the first change from a time on. */
export interface FirstChange {
  record_id: string;
  size: number;
  created_by: number;
  created_at: number;
  updated_at: number;
  before: string | null;
  /** Null if there is no such user any more. */
  username: string | null;
}

/**
 * Whether an entry of one record is from a time on. The sum keeps engines from reading all entries of the collection from
 * that time on by their index, instead of those of the record.
 */
const isFrom = (at: number, column = sql.ref('at')) => sql<boolean>`${column} + 0 >= ${at}`;

const changesFrom = (db: Db, collectionId: number, at: number) =>
  db
    .selectFrom('record_changes')
    .leftJoin('users', 'users.id', 'record_changes.created_by')
    .select([
      'record_changes.record_id',
      'record_changes.size',
      'record_changes.created_by',
      'record_changes.created_at',
      'record_changes.updated_at',
      'record_changes.before',
      'users.username',
    ])
    .where('collection_id', '=', collectionId)
    .where(isFrom(at))
    .orderBy('record_changes.id');

/** The first change of a record from a time on. */
export async function findFirstChange(
  db: Db,
  collectionId: number,
  recordId: string,
  at: number,
): Promise<FirstChange | undefined> {
  return changesFrom(db, collectionId, at).where('record_id', '=', recordId).limit(1).executeTakeFirst();
}

/** The changes of some records from a time on, the first of each first. */
export async function listChangedRecords(
  db: Db,
  collectionId: number,
  ids: readonly string[],
  at: number,
): Promise<FirstChange[]> {
  return changesFrom(db, collectionId, at).where('record_id', 'in', ids).execute();
}

/** A record at a time; undefined if it did not exist, or if nobody may have it back. */
export function toPastRow(first: FirstChange, at: number): RecordRow | undefined {
  const { record_id, before, username, ...row } = first;
  if (before === null || username === null || row.created_at >= at) return undefined;
  return { ...row, id: record_id, text: before, username };
}

/** A position among the entries of a collection, in the order of their times. */
export interface EntryPosition {
  at: number;
  id: number;
}

/**
 * Some entries of a collection after a position and not after a time, oldest first. `earlier` is another entry of the
 * same record from the first time on, and null for the first one.
 */
export function listEntries(
  db: Db,
  collectionId: number,
  { since, after, until }: { since: number; after: EntryPosition; until: number },
  limit: number,
) {
  return db
    .selectFrom('record_changes')
    .select(['id', 'at', 'record_id'])
    .select((eb) =>
      eb
        .selectFrom('record_changes as other')
        .select('other.id')
        .whereRef('other.collection_id', '=', 'record_changes.collection_id')
        .whereRef('other.record_id', '=', 'record_changes.record_id')
        .whereRef('other.id', '<', 'record_changes.id')
        .where(isFrom(since, sql.ref('other.at')))
        .limit(1)
        .as('earlier'),
    )
    .where('collection_id', '=', collectionId)
    .where(sql<boolean>`(at, id) > (${after.at}, ${after.id})`)
    .where('at', '<=', until)
    .orderBy('at')
    .orderBy('id')
    .limit(limit)
    .execute();
}

/** All ids of records from a time on are greater, and all earlier ones less. */
export function firstId(at: number): string {
  const hex = Math.max(0, Math.floor(at)).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-`;
}

/** Ids of records that were created from a time on, and still exist. */
export async function listCreated(db: Db, collectionId: number, from: string, limit: number) {
  const rows = await db
    .selectFrom('records')
    .select('id')
    .where('collection_id', '=', collectionId)
    .where('id', '>', from)
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

const first = (collectionId: number, at: number): RawBuilder<unknown> =>
  sql`select min(id) from record_changes where collection_id = ${collectionId} and at >= ${at} group by record_id`;
const present = sql`coalesce(records.text, cast(records.data as text))`;

/** Compares a collection with what it was: how many records a restore would create, update and delete. */
export async function countDifference(db: Db, collectionId: number, at: number) {
  const wasThere = sql`(past.before is not null and past.created_at < ${at})`;
  const { rows } = await sql<{ created: number; updated: number; deleted: number }>`
    select
      coalesce(sum(case when ${wasThere} and records.id is null then 1 else 0 end), 0) as created,
      coalesce(sum(case when ${wasThere} and records.id is not null and ${present} <> past.before then 1 else 0 end), 0) as updated,
      coalesce(sum(case when not ${wasThere} and records.id is not null and records.created_at < ${at} then 1 else 0 end), 0)
        + (select count(*) from records where collection_id = ${collectionId} and id > ${firstId(at)}) as deleted
    from record_changes as past
    left join records on records.collection_id = past.collection_id and records.id = past.record_id
    where past.id in (${first(collectionId, at)})`.execute(db);
  const [row] = rows;
  return {
    created: Number(row?.created ?? 0),
    updated: Number(row?.updated ?? 0),
    deleted: Number(row?.deleted ?? 0),
  };
}

/** Records of a collection as they were, newest first. */
export async function listPast(
  db: Db,
  collectionId: number,
  at: number,
  { limit, after = firstId(at) }: { limit: number; after?: string | undefined },
): Promise<RecordRow[]> {
  const found: RecordRow[] = [];
  for (let below = after < firstId(at) ? after : firstId(at); found.length < limit; ) {
    const from = await findPieceStart(db, collectionId, below, limit);
    found.push(...(await listPastBetween(db, collectionId, at, { from, below })));
    if (from === undefined) break;
    below = from;
  }
  return found.slice(0, limit);
}

/**
 * Where a piece of so many records and entries begins; undefined if there are not so many. Whoever reads a piece at a time
 * reads everything once, however much there is.
 */
async function findPieceStart(
  db: Db,
  collectionId: number,
  below: string,
  count: number,
): Promise<string | undefined> {
  const { rows } = await sql<{ record: string | null; entry: string | null }>`select
    (select id from records where collection_id = ${collectionId} and id < ${below}
      order by id desc limit 1 offset ${count - 1}) as record,
    (select record_id from record_changes where collection_id = ${collectionId} and record_id < ${below}
      order by record_id desc limit 1 offset ${count - 1}) as entry`.execute(db);
  const { record = null, entry = null } = rows[0] ?? {};
  if (record === null || entry === null) return record ?? entry ?? undefined;
  return record > entry ? record : entry;
}

function listPastBetween(
  db: Db,
  collectionId: number,
  at: number,
  { from, below }: { from: string | undefined; below: string },
): Promise<RecordRow[]> {
  const isBetween = (column: RawBuilder<unknown>) =>
    from === undefined ? sql`${column} < ${below}` : sql`${column} < ${below} and ${column} >= ${from}`;
  const past = sql<Omit<RecordRow, 'username'>>`(
      select records.id, ${present} as text, size, created_by, created_at, updated_at from records
      where collection_id = ${collectionId} and ${isBetween(sql`records.id`)} and not exists (
        select 1 from record_changes where record_changes.collection_id = records.collection_id
          and record_changes.record_id = records.id and ${isFrom(at, sql.ref('record_changes.at'))})
      union all
      select record_id, before, size, created_by, created_at, updated_at from record_changes
      where id in (
        select min(id) from record_changes
        where collection_id = ${collectionId} and ${isBetween(sql`record_id`)} and ${isFrom(at)} group by record_id
      ) and before is not null and created_at < ${at}
    )`;
  return db
    .selectFrom(past.as('past'))
    .innerJoin('users', 'users.id', 'past.created_by')
    .select(['past.id', 'past.text', 'past.size', 'past.created_by', 'users.username'])
    .select(['past.created_at', 'past.updated_at'])
    .orderBy('past.id', 'desc')
    .execute();
}

/** The schema and rules of a collection before the first change from a time on; undefined if they did not change. */
export function findPastSchema(db: Db, collectionId: number, at: number) {
  return db
    .selectFrom('collection_changes')
    .select(['schema', 'rules'])
    .where('collection_id', '=', collectionId)
    .where('at', '>=', at)
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
}
