import { sql } from 'kysely';
import type { StorageType } from '../../../../contract/rules/storage-modes.ts';
import { type Db, statement, type Tx } from '../../../platform/storage/index.ts';

/** SQL that builds and removes indexes, some rows at a time. */

/** An index or a search to build or to remove. */
export interface OpenIndex {
  id: number;
  kind: 'field' | 'search';
  collection_id: number;
  state: 'building' | 'ready' | 'dropped';
  /** Null if the collection is deleted. */
  storage_type: StorageType | null;
}

/** The next index to build, or to remove if it was dropped before this time. */
export function findOpen(db: Db, after: number, droppedBefore: number): Promise<OpenIndex | undefined> {
  return db
    .selectFrom('record_indexes')
    .leftJoin('collections', 'collections.id', 'record_indexes.collection_id')
    .select([
      'record_indexes.id',
      'record_indexes.kind',
      'record_indexes.collection_id',
      'record_indexes.state',
    ])
    .select('collections.storage_type')
    .where('record_indexes.id', '>', after)
    .where((eb) =>
      eb.or([
        eb('collections.id', 'is', null),
        eb('record_indexes.state', '=', 'building'),
        eb.and([
          eb('record_indexes.state', '=', 'dropped'),
          eb('record_indexes.changed_at', '<', droppedBefore),
        ]),
      ]),
    )
    .orderBy('record_indexes.id')
    .limit(1)
    .executeTakeFirst();
}

/** The next records of a collection, with their sizes, to decide how many to read. */
export const listSizes = statement((db, collectionId: number, after: string, limit: number) =>
  db
    .selectFrom('records')
    .select(['id', 'size'])
    .where('collection_id', '=', collectionId)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit as never),
);

/** The records after one id, up to another. */
export const listTexts = statement((db, collectionId: number, after: string, last: string) =>
  db
    .selectFrom('records')
    .select(['id', 'created_by', sql<string>`coalesce(text, cast(data as text))`.as('text')])
    .where('collection_id', '=', collectionId)
    .where('id', '>', after)
    .where('id', '<=', last)
    .orderBy('id'),
);

/** Stores how far indexes are built. */
export async function noteBuilt(
  tx: Tx,
  ids: number[],
  {
    added,
    ...change
  }: { built_to: string; added: number } | { state: 'ready'; changed_at: number; added?: 0 },
): Promise<void> {
  await tx
    .updateTable('record_indexes')
    .set({ ...change, built: sql`built + ${added ?? 0}` })
    .where('id', 'in', ids)
    .execute();
}

/** From now on, a write of a node that does not know indexes makes `indexed_at` differ from `updated_at`. */
export async function trackWrites(tx: Tx, collectionId: number): Promise<void> {
  await tx
    .updateTable('record_counts')
    .set({ indexed_at: sql`updated_at` })
    .where('collection_id', '=', collectionId)
    .execute();
}

/** Removes some entries of an index. Returns whether there may be more. */
export async function removeSome(tx: Tx, indexId: number, limit: number): Promise<boolean> {
  const nextEntry = await tx
    .selectFrom('record_index_entries')
    .select(['user_id', 'key', 'record_id'])
    .where('index_id', '=', indexId)
    .orderBy('user_id')
    .orderBy('key')
    .orderBy('record_id')
    .offset(limit)
    .limit(1)
    .executeTakeFirst();
  let entries = tx.deleteFrom('record_index_entries').where('index_id', '=', indexId);
  if (nextEntry)
    entries = entries.where(
      sql<boolean>`(user_id, key, record_id) < (${nextEntry.user_id}, ${nextEntry.key}, ${nextEntry.record_id})`,
    );
  await entries.execute();
  if (nextEntry) return true;
  const nextBlock = await tx
    .selectFrom('record_index_blocks')
    .select(['user_id', 'start'])
    .where('index_id', '=', indexId)
    .orderBy('user_id')
    .orderBy('start')
    .offset(limit)
    .limit(1)
    .executeTakeFirst();
  let blocks = tx.deleteFrom('record_index_blocks').where('index_id', '=', indexId);
  if (nextBlock)
    blocks = blocks.where(sql<boolean>`(user_id, start) < (${nextBlock.user_id}, ${nextBlock.start})`);
  await blocks.execute();
  return nextBlock !== undefined;
}

/** Removes an index that has no entries left. */
export async function removeIndex(tx: Tx, indexId: number): Promise<void> {
  await tx.deleteFrom('record_indexes').where('id', '=', indexId).execute();
}

/** The time of the database. */
export async function readTime(db: Db): Promise<string> {
  const { rows } = await sql<{ at: string }>`select clock_timestamp()::text as at`.execute(db);
  return rows[0]?.at ?? '';
}

/** Whether all transactions that began before a time have ended. Later ones see what was committed before that time. */
export async function haveEnded(db: Db, before: string): Promise<boolean> {
  const { rows } = await sql<{ ended: boolean }>`select not exists (select 1 from pg_stat_activity
    where datname = current_database() and xact_start < ${before}::timestamptz and pid <> pg_backend_pid()) as ended`.execute(
    db,
  );
  return rows[0]?.ended ?? false;
}
