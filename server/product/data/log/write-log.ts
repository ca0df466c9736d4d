import { sql } from 'kysely';
import { type Db, statement, type Tx } from '../../../platform/storage/index.ts';

/** SQL that adds to the record log, in the transaction of the change that it is about. */

/** The size of an entry in addition to the record's data. */
export const LOG_OVERHEAD = 256;

/** Who changes something, and when. */
export interface Authored {
  now: number;
  /** Null for the service. */
  by: number | null;
}

export const LOGGED_COLUMNS = [
  'collection_id',
  'record_id',
  'at',
  'changed_by',
  'action',
  'size',
  'created_by',
  'created_at',
  'updated_at',
  'before',
] as const;

/** The entry of a record as it is stored, for PostgreSQL. It is read there, because the data can be large. */
export function selectEntry(
  db: Db,
  action: 'update' | 'delete',
  { collectionId, id, now, by }: { collectionId: number; id: string } & Authored,
) {
  return db
    .selectFrom('records')
    .select([
      'records.collection_id',
      'records.id as record_id',
      sql<number>`cast(${now} as bigint)`.as('at'),
      sql<number | null>`cast(${by} as bigint)`.as('changed_by'),
      sql.lit(action).as('action'),
      'records.size',
      'records.created_by',
      'records.created_at',
      'records.updated_at',
      sql<string>`coalesce(records.text, cast(records.data as text))`.as('before'),
    ])
    .where('records.collection_id', '=', collectionId)
    .where('records.id', '=', id);
}

/** The row of a record, as it was read and locked in this transaction. */
export interface LoggedRow {
  id: string;
  /** The data, as JSON. */
  text: string;
  size: number;
  created_by: number;
  created_at: number;
  updated_at: number;
}

const insertEntry = statement(
  (
    db,
    collectionId: number,
    recordId: string,
    now: number,
    by: number | null,
    action: 'update' | 'delete',
    size: number,
    createdBy: number,
    createdAt: number,
    updatedAt: number,
    before: string,
  ) =>
    db.insertInto('record_changes').values({
      collection_id: collectionId,
      record_id: recordId,
      at: now,
      changed_by: by,
      action,
      size,
      created_by: createdBy,
      created_at: createdAt,
      updated_at: updatedAt,
      before,
    }),
);

/**
 * Adds an entry with a record that this transaction has read, for SQLite: reading it again costs more than passing it
 * back.
 */
export async function logRow(
  tx: Tx,
  action: 'update' | 'delete',
  collectionId: number,
  row: LoggedRow,
  { now, by }: Authored,
): Promise<void> {
  const { id, text, size, created_by, created_at, updated_at } = row;
  await insertEntry(tx, collectionId, id, now, by, action, size, created_by, created_at, updated_at, text);
}

/** Adds an entry that says when a record came to be without being created, or was deleted for good. */
export async function logWithoutData(
  tx: Tx,
  action: 'restore' | 'delete',
  collectionId: number,
  rows: Array<{ id: string; created_by: number; created_at: number; updated_at: number }>,
  { now, by }: Authored,
): Promise<void> {
  if (rows.length === 0) return;
  await tx
    .insertInto('record_changes')
    .values(
      rows.map(({ id, created_by, created_at, updated_at }) => ({
        collection_id: collectionId,
        record_id: id,
        at: now,
        changed_by: by,
        action,
        size: 0,
        created_by,
        created_at,
        updated_at,
        before: null,
      })),
    )
    .execute();
}

/** Adds an entry with the schema and the rules of a collection, before they change. */
export async function logCollection(tx: Tx, collectionId: number, { now, by }: Authored): Promise<void> {
  await tx
    .insertInto('collection_changes')
    .columns(['collection_id', 'at', 'changed_by', 'schema', 'rules'])
    .expression((eb) =>
      eb
        .selectFrom('collections')
        .select([
          'collections.id',
          sql<number>`cast(${now} as bigint)`.as('at'),
          sql<number | null>`cast(${by} as bigint)`.as('changed_by'),
          'collections.schema',
          'collections.rules',
        ])
        .where('collections.id', '=', collectionId),
    )
    .execute();
}
