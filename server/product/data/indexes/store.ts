import { type RawBuilder, sql } from 'kysely';
import { type Db, statement, type Tx } from '../../../platform/storage/index.ts';
import { END } from './keys.ts';
import { byBytes, isSingle, type Range } from './ranges.ts';

/** SQL that reads entries of indexes, and that adds and drops indexes. */

const ofCollection = statement((db, collectionId: number) =>
  db
    .selectFrom('record_indexes')
    .select(['id', 'kind', 'field', 'state', 'built', 'changed_at'])
    .where('collection_id', '=', collectionId)
    .where('state', '<>', sql.lit('dropped' as const))
    .orderBy('id')
    .$narrowType<{ state: 'building' | 'ready' }>(),
);

/** An index that a schema asks for. A search is one of its own kind, with all of its fields. */
export interface WantedIndex {
  kind: 'field' | 'search';
  field: string;
}

/** How many percent of the records of a collection are in an index that is being built. */
export async function countPercent(
  db: Db,
  collectionId: number,
  { built }: { built: number },
): Promise<number> {
  const { records } = await db
    .selectFrom('record_counts')
    .select(sql<number>`coalesce(sum(records), 0)`.as('records'))
    .where('collection_id', '=', collectionId)
    .executeTakeFirstOrThrow();
  return Math.min(99, Math.floor((100 * built) / Math.max(1, Number(records))));
}

/** The indexes of a collection that are not dropped, with its search. */
export const listIndexes = async (db: Db, collectionId: number) =>
  (await ofCollection(db, collectionId)).rows;

/** Makes the indexes of a collection those that its schema asks for. */
export async function setIndexes(
  tx: Tx,
  collectionId: number,
  { wanted, now }: { wanted: readonly WantedIndex[]; now: number },
): Promise<void> {
  const present = await listIndexes(tx, collectionId);
  const isIn = (list: readonly WantedIndex[], { kind, field }: WantedIndex) =>
    list.some((each) => each.kind === kind && each.field === field);
  const dropped = present.filter((index) => !isIn(wanted, index)).map(({ id }) => id);
  const added = wanted.filter((index) => !isIn(present, index));
  if (dropped.length > 0) await dropIndexes(tx, dropped, now);
  if (added.length > 0)
    await tx
      .insertInto('record_indexes')
      .values(
        added.map(({ kind, field }) => ({
          collection_id: collectionId,
          kind,
          field,
          state: 'building' as const,
          built_to: '',
          changed_at: now,
        })),
      )
      .execute();
  if (dropped.length + added.length > 0) await markIndexed(tx, collectionId, wanted.length > 0);
}

/** Drops indexes. Their entries are removed later, when nobody reads them any more. */
export async function dropIndexes(tx: Tx, ids: number[], now: number): Promise<void> {
  if (ids.length === 0) return;
  await tx
    .updateTable('record_indexes')
    .set({ state: 'dropped', changed_at: now })
    .where('id', 'in', ids)
    .execute();
}

/** Drops the indexes of all collections of a page. If it stays after all, they are built again. */
export async function dropAllIndexes(db: Db, pageId: number, now: number): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const indexed = await tx
      .selectFrom('collections')
      .select('id')
      .where('page_id', '=', pageId)
      .where('is_indexed', '=', 1)
      .orderBy('id')
      .execute();
    for (const { id } of indexed) {
      const indexes = await listIndexes(tx, id);
      await dropIndexes(
        tx,
        indexes.map((index) => index.id),
        now,
      );
      await markIndexed(tx, id, false);
    }
  });
}

async function markIndexed(tx: Tx, collectionId: number, isIndexed: boolean): Promise<void> {
  await tx
    .updateTable('collections')
    .set({ is_indexed: isIndexed ? 1 : 0 })
    .where('id', '=', collectionId)
    .execute();
}

/** The entries of one index that count for one user. */
export interface Entries {
  indexId: number;
  userId: number;
}

/**
 * Counts the entries of a range: the sum of the blocks that begin in it, with the entries before the first of these
 * blocks, without the entries of the last block that are behind the range. Only the entries at these two ends are read,
 * and they are few: a key with many entries is where a block begins.
 */
const countBetween = statement((db, indexId: number, userId: number, from: string, to: string) => {
  const blocks = sql`record_index_blocks where index_id = ${indexId} and user_id = ${userId}`;
  const ends = sql<{ first: string | null; next: string }>`(select
    (select min(start) from ${blocks} and start >= ${from} and start < ${to}) as first,
    coalesce((select min(start) from ${blocks} and start >= ${to}), ${sql.lit(END)}) as next)`;
  const before = countEntries(indexId, userId, sql`${from}`, sql`coalesce(ends.first, ${to})`);
  const behind = countEntries(indexId, userId, sql`${to}`, sql`ends.next`);
  return db.selectFrom(ends.as('ends')).select(
    sql<number>`${before} + case when ends.first is null then 0 else
        (select sum(entries) from ${blocks} and start >= ends.first and start < ends.next) - ${behind} end`.as(
      'count',
    ),
  );
});

function countEntries(indexId: number, userId: number, from: RawBuilder<unknown>, to: RawBuilder<unknown>) {
  return sql`(select count(*) from record_index_entries where index_id = ${indexId} and user_id = ${userId} and key >= ${from} and key < ${to})`;
}

export async function countRanges(db: Db, { indexId, userId }: Entries, ranges: Range[]): Promise<number> {
  let count = 0;
  for (const { from, to } of ranges) {
    const { rows } = await countBetween(db, indexId, userId, from, to);
    count += Number(rows[0]?.count ?? 0);
  }
  return count;
}

/** The ids of the records in some ranges, in SQL. */
export function selectIds({ indexId, userId }: Entries, ranges: Range[]): RawBuilder<{ record_id: string }> {
  const between = ranges.map(({ from, to }) => sql`(key >= ${from} and key < ${to})`);
  const any = between.length === 0 ? sql`1 = 0` : sql.join(between, sql` or `);
  return sql`(select record_id from record_index_entries where index_id = ${indexId} and user_id = ${userId} and (${any}))`;
}

/** Which entries to read, and in which order. */
export interface Walk {
  ranges: Range[];
  /** By key, or by the age of the records. */
  by: 'key' | 'age';
  isAscending: boolean;
  /** A condition for the record of an entry, whose id is `entry.record_id`. */
  filter?: RawBuilder<unknown> | undefined;
}

/** A part of a walk. */
interface WalkPart {
  /** The entry to continue after. In a walk by age, only its id counts. */
  after?: { key: string; id: string } | undefined;
  limit: number;
  offset: number;
}

export interface WalkedEntry {
  key: string;
  record_id: string;
}

/** Entries in order. Several ranges are read one by one, each in order, and merged. */
export async function walkEntries(db: Db, entries: Entries, walk: Walk & WalkPart): Promise<WalkedEntry[]> {
  const { ranges, by, isAscending, limit, offset } = walk;
  const direction = isAscending ? sql`asc` : sql`desc`;
  const order = by === 'key' ? sql`key ${direction}, record_id ${direction}` : sql`record_id ${direction}`;
  const parts = ranges.map((range) => selectWalk(entries, walk, range, order));
  if (parts.length === 0) return [];
  const [only] = parts;
  const all =
    parts.length === 1 && only
      ? sql`${only} limit ${limit} offset ${offset}`
      : sql`select * from (${sql.join(
          parts.map((part) => sql`select * from (${part} limit ${limit + offset}) as part`),
          sql` union all `,
        )}) as parts order by ${order} limit ${limit} offset ${offset}`;
  return (await sql<WalkedEntry>`${all}`.execute(db)).rows;
}

function selectWalk(
  { indexId, userId }: Entries,
  { by, isAscending, after, filter }: Walk & WalkPart,
  range: Range,
  order: RawBuilder<unknown>,
): RawBuilder<unknown> {
  // One key, compared with equality, leaves the entries in the order of their records.
  const keys = isSingle(range)
    ? sql`entry.key = ${range.from}`
    : keysBetween(range, isAscending, by === 'key' ? after?.key : undefined);
  const sign = isAscending ? sql`>` : sql`<`;
  const start = !after
    ? sql``
    : by === 'key'
      ? sql`and (entry.key, entry.record_id) ${sign} (${after.key}, ${after.id})`
      : sql`and entry.record_id ${sign} ${after.id}`;
  return sql`select entry.key, entry.record_id from record_index_entries as entry
    where entry.index_id = ${indexId} and entry.user_id = ${userId} and ${keys} ${start}
    ${filter ? sql`and ${filter}` : sql``} order by ${order}`;
}

/** The bounds of a range. SQLite starts at a cursor only if there is no other bound on its side. */
function keysBetween(
  { from, to }: Range,
  isAscending: boolean,
  cursor: string | undefined,
): RawBuilder<unknown> {
  const [lower, upper] = [sql`entry.key >= ${from}`, sql`entry.key < ${to}`];
  if (cursor === undefined) return sql`${lower} and ${upper}`;
  if (isAscending) return byBytes(cursor, from) >= 0 ? upper : sql`${lower} and ${upper}`;
  return byBytes(cursor, to) < 0 ? lower : sql`${lower} and ${upper}`;
}

/** How many entries with a key come before one of them. */
export async function countBefore(
  db: Db,
  { indexId, userId }: Entries,
  {
    key,
    id,
    isAscending,
    filter,
  }: { key: string; id: string; isAscending: boolean; filter: RawBuilder<unknown> | undefined },
): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*) as count from record_index_entries as entry
    where entry.index_id = ${indexId} and entry.user_id = ${userId} and entry.key = ${key}
    and entry.record_id ${isAscending ? sql`<` : sql`>`} ${id} ${filter ? sql`and ${filter}` : sql``}`.execute(
    db,
  );
  return Number(rows[0]?.count ?? 0);
}
