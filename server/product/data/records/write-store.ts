import { sql } from 'kysely';
import { type Db, firstRow, statement, type Tx } from '../../../platform/storage/index.ts';
import { createIndexWrites, type IndexWrites } from '../indexes/write-store.ts';
import { type Authored, LOGGED_COLUMNS, type LoggedRow, logRow, selectEntry } from '../log/write-log.ts';
import { findRecord, type RecordRow, selectRecords } from './store.ts';

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

/** Changes one record, which this transaction has locked. */
type WriteRecord<Change> = (tx: Tx, collectionId: number, row: LoggedRow, change: Change) => Promise<void>;

interface Updated extends Authored {
  text: string;
  size: number;
}

const update = statement((db, collectionId: number, id: string, data: string, size: number, now: number) =>
  db
    .updateTable('records')
    .set({ data, size, updated_at: now })
    .where('collection_id', '=', collectionId)
    .where('id', '=', id),
);

/** Deletes a record, without an entry in the record log. */
export const deleteRecord = statement((db, collectionId: number, id: string) =>
  db.deleteFrom('records').where('collection_id', '=', collectionId).where('id', '=', id),
);

/** SQLite has one writer: a transaction that has begun is the only one that writes. */
function writeSqlite(isLogged: boolean): EngineWrites {
  return {
    lock: findRecord,
    insert: insertOneByOne,
    async update(tx, collectionId, row, { text, size, now, by }) {
      if (isLogged) await logRow(tx, 'update', collectionId, row, { now, by });
      await update(tx, collectionId, row.id, text, size, now);
    },
    async remove(tx, collectionId, row, { now, by }) {
      if (isLogged) await logRow(tx, 'delete', collectionId, row, { now, by });
      await deleteRecord(tx, collectionId, row.id);
    },
    async insertAgain(tx, collectionId, { id, text: data, size, created_by, created_at, updated_at }) {
      const row = { collection_id: collectionId, id, data, size, created_by, created_at, updated_at };
      await tx.insertInto('records').values(row).execute();
    },
    async insertCopies(tx, collection_id, rows) {
      const values = rows.map(({ text: data, username: _, ...row }) => ({ ...row, collection_id, data }));
      await tx.insertInto('records').values(values).execute();
    },
  };
}

const lock = statement((db, collectionId: number, id: string) =>
  selectRecords(db, { collectionId }).where('records.id', '=', id).forUpdate('records'),
);

const updatedText = (
  db: Pick<Db, 'updateTable'>,
  { collectionId, id, text, size, now }: { collectionId: number; id: string } & Omit<Updated, 'by'>,
) =>
  db
    .updateTable('records')
    .from(sql<{ text: string }>`(select ${text}::text as text)`.as('new'))
    .set({ data: sql`new.text::jsonb`, text: sql`new.text`, size, updated_at: now })
    .where('collection_id', '=', collectionId)
    .where('id', '=', id);

const updateBoth = statement(
  (db, collectionId: number, id: string, text: string, size: number, now: number) =>
    updatedText(db, { collectionId, id, text, size, now }),
);

/** One round trip: every part of a statement sees the record as it was before. */
const updateAndLog = statement(
  (db, collectionId: number, id: string, text: string, size: number, now: number, by: number | null) =>
    updatedText(
      db.with('logged', (eb) =>
        eb
          .insertInto('record_changes')
          .columns(LOGGED_COLUMNS)
          .expression(selectEntry(db, 'update', { collectionId, id, now, by })),
      ) as unknown as Db,
      { collectionId, id, text, size, now },
    ),
);

const removeAndLog = statement((db, collectionId: number, id: string, now: number, by: number | null) =>
  db
    .with('logged', (eb) =>
      eb
        .insertInto('record_changes')
        .columns(LOGGED_COLUMNS)
        .expression(selectEntry(db, 'delete', { collectionId, id, now, by })),
    )
    .deleteFrom('records')
    .where('collection_id', '=', collectionId)
    .where('id', '=', id),
);

function writePostgres(isLogged: boolean): EngineWrites {
  return {
    lock: (tx, collectionId, id) => firstRow(lock(tx, collectionId, id)),
    insert: insertTogether,
    async update(tx, collectionId, { id }, { text, size, now, by }) {
      if (isLogged) await updateAndLog(tx, collectionId, id, text, size, now, by);
      else await updateBoth(tx, collectionId, id, text, size, now);
    },
    async remove(tx, collectionId, { id }, { now, by }) {
      if (isLogged) await removeAndLog(tx, collectionId, id, now, by);
      else await deleteRecord(tx, collectionId, id);
    },
    async insertAgain(tx, collectionId, { id, text, size, created_by, created_at, updated_at }) {
      const data = sql<string>`${text}::jsonb`;
      const row = { collection_id: collectionId, id, data, text, size, created_by, created_at, updated_at };
      await tx.insertInto('records').values(row).execute();
    },
    async insertCopies(tx, collection_id, rows) {
      const values = rows.map(({ username: _, ...row }) => ({
        ...row,
        collection_id,
        data: sql<string>`${row.text}::jsonb`,
      }));
      await tx.insertInto('records').values(values).execute();
    },
  };
}

/** How an engine writes records: PostgreSQL also keeps the text, because `data` has sorted keys there. */
export interface RecordWrites {
  /** Whether changes are added to the record log. */
  isLogged: boolean;
  /** Reads a record and locks it until this transaction ends. */
  lock(tx: Tx, collectionId: number, id: string): Promise<RecordRow | undefined>;
  insert: InsertRecords;
  /** Replaces the data of a record. */
  update: WriteRecord<Updated>;
  remove: WriteRecord<Authored>;
  /** Adds a record that was deleted. */
  insertAgain(tx: Tx, collectionId: number, row: RecordRow): Promise<void>;
  /** Adds copies of records of another collection, with their ids, authors and times. */
  insertCopies(tx: Tx, collectionId: number, rows: readonly RecordRow[]): Promise<void>;
  indexes: IndexWrites;
}

type EngineWrites = Omit<RecordWrites, 'isLogged' | 'indexes'>;

export function createWrites(engine: 'sqlite' | 'postgres', isLogged: boolean): RecordWrites {
  const indexes = createIndexWrites(engine);
  return { isLogged, indexes, ...(engine === 'sqlite' ? writeSqlite(isLogged) : writePostgres(isLogged)) };
}
