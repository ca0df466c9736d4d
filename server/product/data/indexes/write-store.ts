import { type RawBuilder, sql } from 'kysely';
import { firstRow, statement, type Tx } from '../../../platform/storage/index.ts';
import { createSearchWrites, type SearchWrites } from '../search/write-store.ts';
import { END } from './keys.ts';

/** SQL that changes the entries of indexes. Call it only while their rows in `record_indexes` are locked. */

/** An index that is not dropped. */
export interface StoredIndex {
  id: number;
  kind: 'field' | 'search';
  field: string;
  state: 'building' | 'ready';
  built_to: string;
}

/** The value of a record in an index. */
export interface Entry {
  indexId: number;
  userId: number;
  key: string;
  recordId: string;
}

/** The number of entries that a block can have until it is divided, and how often that is checked. */
const MAX_BLOCK = 2_048;
const CHECKED_EVERY = 128;

/** How an engine changes indexes. */
export interface IndexWrites {
  /** The indexes of a collection, locked until this transaction ends. */
  lock(tx: Tx, collectionId: number): Promise<StoredIndex[]>;
  add(tx: Tx, entries: Entry[]): Promise<void>;
  remove(tx: Tx, entries: Entry[]): Promise<void>;
  search: SearchWrites;
}

const lock = (isPostgres: boolean) =>
  statement((db, collectionId: number) => {
    const query = db
      .selectFrom('record_indexes')
      .select(['id', 'kind', 'field', 'state', 'built_to'])
      .where('collection_id', '=', collectionId)
      .where('state', '<>', sql.lit('dropped' as const))
      .orderBy('id')
      .$narrowType<{ state: 'building' | 'ready' }>();
    return isPostgres ? query.forUpdate() : query;
  });

/** The rows of a JSON text, as a table. One parameter, so that the statement is the same for any number of rows. */
type ToRows = (json: string) => RawBuilder<unknown>;

const sqliteRows: ToRows = (json) =>
  sql`(select value ->> 0 as index_id, value ->> 1 as user_id, value ->> 2 as key, value ->> 3 as record_id, value ->> 4 as change from json_each(${json}))`;

const postgresRows: ToRows = (json) =>
  sql`(select (e ->> 0)::bigint as index_id, (e ->> 1)::bigint as user_id, (e ->> 2) collate "C" as key, (e ->> 3) collate "C" as record_id, (e ->> 4)::bigint as change from json_array_elements(${json}::json) as e)`;

interface Block {
  index_id: number;
  user_id: number;
  start: string;
  entries: number;
}

function entryStatements(rows: ToRows) {
  return {
    insert: statement((db, json: string) =>
      db
        .insertInto('record_index_entries')
        .columns(['index_id', 'user_id', 'key', 'record_id'])
        .expression(sql`select index_id, user_id, key, record_id from ${rows(json)} as added where true`),
    ),
    remove: statement((db, json: string) =>
      db
        .deleteFrom('record_index_entries')
        .where(
          sql<boolean>`(index_id, user_id, key, record_id) in (select index_id, user_id, key, record_id from ${rows(json)} as removed)`,
        ),
    ),
    /** Makes the first blocks of indexes that have none, for a user. */
    begin: statement((db, json: string) =>
      db
        .insertInto('record_index_blocks')
        .columns(['index_id', 'user_id', 'start', 'entries'])
        .expression(sql`select distinct index_id, user_id, '', 0 from ${rows(json)} as added where true`)
        .onConflict((conflict) => conflict.columns(['index_id', 'user_id', 'start']).doNothing()),
    ),
    /** Adds changes to the counts of the blocks that the keys are in. */
    count: statement((db, json: string) =>
      db
        .updateTable('record_index_blocks')
        .from(
          sql<Block & { change: number }>`(select index_id, user_id, start, sum(change) as change from (
            select changed.*, (select block.start from record_index_blocks as block
              where block.index_id = changed.index_id and block.user_id = changed.user_id and block.start <= changed.key
              order by block.start desc limit 1) as start from ${rows(json)} as changed
            ) as found group by index_id, user_id, start)`.as('total'),
        )
        .set({ entries: sql`record_index_blocks.entries + total.change` })
        .whereRef('record_index_blocks.index_id', '=', 'total.index_id')
        .whereRef('record_index_blocks.user_id', '=', 'total.user_id')
        .whereRef('record_index_blocks.start', '=', 'total.start')
        .returning([
          'record_index_blocks.index_id',
          'record_index_blocks.user_id',
          'record_index_blocks.start',
          'record_index_blocks.entries',
        ]),
    ),
  };
}

export function createIndexWrites(engine: 'sqlite' | 'postgres'): IndexWrites {
  const { insert, remove, begin, count } = entryStatements(engine === 'sqlite' ? sqliteRows : postgresRows);
  const lockIndexes = lock(engine === 'postgres');
  return {
    lock: async (tx, collectionId) => (await lockIndexes(tx, collectionId)).rows,
    async add(tx, entries) {
      if (entries.length === 0) return;
      const json = toJson(entries, 1);
      await insert(tx, json);
      await begin(tx, json);
      const { rows } = await count(tx, json);
      for (const block of rows)
        if (block.entries > MAX_BLOCK && block.entries % CHECKED_EVERY < entries.length)
          await divide(tx, block);
    },
    async remove(tx, entries) {
      if (entries.length === 0) return;
      const json = toJson(entries, -1);
      await remove(tx, json);
      await count(tx, json);
    },
    search: createSearchWrites(engine),
  };
}

function toJson(entries: Entry[], change: 1 | -1): string {
  return JSON.stringify(
    entries.map(({ indexId, userId, key, recordId }) => [indexId, userId, key, recordId, change]),
  );
}

const keyAt = statement((db, indexId: number, userId: number, from: string, to: string, offset: number) =>
  db
    .selectFrom('record_index_entries')
    .select('key')
    .where('index_id', '=', indexId)
    .where('user_id', '=', userId)
    .where('key', '>=', from)
    .where('key', '<', to)
    .orderBy('key')
    .limit(sql.lit(1))
    .offset(offset as never),
);

const nextKey = statement((db, indexId: number, userId: number, after: string, to: string) =>
  db
    .selectFrom('record_index_entries')
    .select((eb) => eb.fn.min('key').as('key'))
    .where('index_id', '=', indexId)
    .where('user_id', '=', userId)
    .where('key', '>', after)
    .where('key', '<', to),
);

/** Divides a block at a key in its middle. One key is in one block, however many entries it has. */
async function divide(tx: Tx, { index_id, user_id, start }: Block): Promise<void> {
  const next = await tx
    .selectFrom('record_index_blocks')
    .select('start')
    .where('index_id', '=', index_id)
    .where('user_id', '=', user_id)
    .where('start', '>', start)
    .orderBy('start')
    .limit(1)
    .executeTakeFirst();
  const end = next?.start ?? END;
  const findKey = async (offset: number) =>
    (await firstRow(keyAt(tx, index_id, user_id, start, end, offset)))?.key;
  // If one key fills the first half, the next key is taken, so that each key with many entries begins a block.
  const middle = (await findKey(MAX_BLOCK / 2)) ?? start;
  const at = middle === start ? (await firstRow(nextKey(tx, index_id, user_id, start, end)))?.key : middle;
  if (!at) return;
  const before = sql<number>`(select count(*) from record_index_entries where index_id = ${index_id} and user_id = ${user_id} and key >= ${start} and key < ${at})`;
  const added = await tx
    .insertInto('record_index_blocks')
    .columns(['index_id', 'user_id', 'start', 'entries'])
    .expression((eb) =>
      eb
        .selectFrom('record_index_blocks')
        .select(['index_id', 'user_id', sql<string>`cast(${at} as text)`.as('start')])
        .select(sql<number>`entries - ${before}`.as('entries'))
        .where('index_id', '=', index_id)
        .where('user_id', '=', user_id)
        .where('start', '=', start),
    )
    .returning('entries')
    .executeTakeFirstOrThrow();
  await tx
    .updateTable('record_index_blocks')
    .set({ entries: sql`entries - ${added.entries}` })
    .where('index_id', '=', index_id)
    .where('user_id', '=', user_id)
    .where('start', '=', start)
    .execute();
}
