import {
  type Db,
  mayIdle,
  type PlainRow,
  type Storage,
  storageFailure,
} from '../../platform/storage/index.ts';
import { ArchiveError } from './archive/archive-error.ts';
import type { Totals } from './archive/manifest.ts';
import { countRows, dropTables, emptyLog, insertRows, listTables, setSequence } from './store.ts';

/** Tables that are being filled in one transaction. */
export interface RowsTarget {
  insert(table: string, rows: PlainRow[]): Promise<void>;
  /** Checks the rows, commits them, and migrates the tables. */
  finish(totals: Totals): Promise<void>;
  /** The tables, once they are finished. */
  db: Db;
  /** Removes everything that was written, even after a commit. */
  undo(): Promise<void>;
  stop(): Promise<void>;
}

/** Adds the text of `data`, whose keys PostgreSQL sorts. An old archive has no column for the text. */
function withText(row: PlainRow): PlainRow {
  return 'text' in row ? { ...row, text: row.data ?? null } : row;
}

export async function openRows(storage: Storage): Promise<RowsTarget> {
  const { engine } = storage;
  const all = await listTables(storage);
  const tables = new Set(all.filter((name) => !name.startsWith('kysely_')));
  const tx = await storage.db.startTransaction().execute();
  // The transaction may be idle for long, because rows arrive only as fast as the archive can be read.
  if (engine === 'postgres') await mayIdle(tx);

  return {
    async insert(table, rows) {
      if (!tables.has(table)) throw new ArchiveError(`There is no table ${table} to put rows into.`);
      const columns = Object.keys(rows[0] ?? {}).join();
      if (rows.some((row) => Object.keys(row).join() !== columns))
        throw new ArchiveError(`The rows of ${table} in the archive do not all have the same columns.`);
      const given = engine === 'postgres' && table === 'records' ? rows.map(withText) : rows;
      await explaining(`The rows of ${table} cannot be put back`, () => insertRows(tx, table, given));
    },
    async finish(totals) {
      for (const [table, last] of Object.entries(totals.sequences))
        if (tables.has(table))
          await explaining(`${table} cannot continue after ${last}`, () =>
            setSequence({ db: tx, engine }, table, last),
          );
      for (const table of tables) {
        const [expected, found] = [totals.rows[table] ?? 0, await countRows(tx, table)];
        if (expected !== found)
          throw new ArchiveError(`${table} should have ${expected} rows and has ${found}.`);
      }
      await explaining('The rows cannot be saved', () => tx.commit().execute());
      await explaining('The tables cannot be migrated', storage.migrate);
      await emptyLog(storage);
    },
    db: storage.db,
    async undo() {
      if (!tx.isCommitted && !tx.isRolledBack) await tx.rollback().execute();
      if (engine === 'postgres') await dropTables(storage.db, await listTables(storage));
    },
    stop: storage.stop,
  };
}

/** Explains errors of the database: the content of an archive can break any constraint. */
async function explaining(what: string, work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (storageFailure(error) === 'disk full') throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new ArchiveError(`${what}: ${reason}`, { cause: error });
  }
}
