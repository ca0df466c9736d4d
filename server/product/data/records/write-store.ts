import { sql } from 'kysely';
import { statement, type Tx } from '../../../platform/storage/index.ts';
import type { RecordRow } from './store.ts';

/** SQL that adds and changes records. It differs by engine. */

const insert = statement(
  (db, collectionId: number, id: string, data: string, size: number, userId: number, now: number) =>
    db.insertInto('records').values({
      collection_id: collectionId,
      id,
      data,
      size,
      created_by: userId,
      created_at: now,
      updated_at: now,
    }),
);

/** Adds records to a collection. */
type InsertRecords = (tx: Tx, collectionId: number, rows: RecordRow[]) => Promise<void>;

/** Adds records one by one, for SQLite, where a statement is a function call. */
const insertOneByOne: InsertRecords = async (tx, collectionId, rows) => {
  for (const row of rows) {
    await insert(tx, collectionId, row.id, row.text, row.size, row.created_by, row.created_at);
  }
};

const insertAll = statement(
  (
    db,
    collectionId: number,
    ids: string[],
    texts: string[],
    sizes: number[],
    userIds: number[],
    now: number,
  ) =>
    db
      .insertInto('records')
      .columns(['collection_id', 'id', 'data', 'text', 'size', 'created_by', 'created_at', 'updated_at'])
      .expression(
        sql`select ${collectionId}::bigint, new.id, new.data::jsonb, new.data, new.size, new.created_by, ${now}::bigint, ${now}::bigint from unnest(${ids}::text[], ${texts}::text[], ${sizes}::integer[], ${userIds}::bigint[]) as new (id, data, size, created_by)`,
      ),
);

/** Adds records in one statement, for PostgreSQL, where each statement is a round trip. */
const insertTogether: InsertRecords = async (tx, collectionId, rows) => {
  const now = rows[0]?.created_at ?? 0;
  const ids = rows.map(({ id }) => id);
  const texts = rows.map(({ text }) => text);
  const sizes = rows.map(({ size }) => size);
  const userIds = rows.map(({ created_by }) => created_by);
  await insertAll(tx, collectionId, ids, texts, sizes, userIds, now);
};

/** Replaces the data of a record. */
type UpdateRecord = (
  tx: Tx,
  collectionId: number,
  id: string,
  change: { text: string; size: number; now: number },
) => Promise<void>;

const update = statement((db, collectionId: number, id: string, data: string, size: number, now: number) =>
  db
    .updateTable('records')
    .set({ data, size, updated_at: now })
    .where('collection_id', '=', collectionId)
    .where('id', '=', id),
);

const updateInSqlite: UpdateRecord = async (tx, collectionId, id, { text, size, now }) => {
  await update(tx, collectionId, id, text, size, now);
};

const updateBoth = statement(
  (db, collectionId: number, id: string, text: string, size: number, now: number) =>
    db
      .updateTable('records')
      .from(sql<{ text: string }>`(select ${text}::text as text)`.as('new'))
      .set({ data: sql`new.text::jsonb`, text: sql`new.text`, size, updated_at: now })
      .where('collection_id', '=', collectionId)
      .where('id', '=', id),
);

const updateInPostgres: UpdateRecord = async (tx, collectionId, id, { text, size, now }) => {
  await updateBoth(tx, collectionId, id, text, size, now);
};

/** How an engine writes records: PostgreSQL also keeps the text, because `data` has sorted keys there. */
export interface RecordWrites {
  insert: InsertRecords;
  update: UpdateRecord;
}

export const sqliteWrites: RecordWrites = { insert: insertOneByOne, update: updateInSqlite };
export const postgresWrites: RecordWrites = { insert: insertTogether, update: updateInPostgres };
