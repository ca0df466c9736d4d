import { join } from 'node:path';
import { Kysely, sql } from 'kysely';
import { createGroupCommit, type GroupCommit } from './group-commit.ts';
import type { Db } from './handles.ts';
import { migrate } from './migrate.ts';
import { postgresDialect } from './postgres.ts';
import { openSnapshot, type Snapshot } from './snapshot.ts';
import { sqliteDialect } from './sqlite.ts';
import { sqliteReaderDialect } from './sqlite-reader.ts';
import type { Tables } from './tables.ts';

/** Tries whether PostgreSQL answers. */
export { checkPostgres } from './check-postgres.ts';
/** Holds the data folder for this process, and keeps its signing key. */
export { FolderInUseError, lockDataFolder, readSecret } from './data-folder.ts';
/** Tells a full disk, a lost connection or a broken unique rule from other errors. */
export { storageFailure, toAppError } from './failures.ts';
/** The type of the functions' table. */
export type { FunctionsTable } from './function-tables.ts';
/** Lets writes that arrive together share a transaction. */
export type { GroupCommit } from './group-commit.ts';
/** Handles for queries, outside of a transaction and inside. */
export type { Db, Tx } from './handles.ts';
/** Which migrations this program knows. */
export { MIGRATION_NAMES } from './migrate.ts';
/** The whole database at one moment, row by row. */
export type { PlainRow, Snapshot } from './snapshot.ts';
/** Queries whose text is made once, for hot paths. */
export { firstRow, statement } from './statement.ts';
/** The tables' types. */
export type { PagesTable, Tables } from './tables.ts';

/** An open database: SQLite in the data folder, or PostgreSQL where an address is given. */
export interface Storage {
  db: Db;
  engine: 'sqlite' | 'postgres';
  /** For reads that may take long: they hold nobody else up, are ended when they take too long, and see what has been committed. */
  slowDb: Db;
  commit: GroupCommit;
  /** Fails when the database does not answer. */
  check(): Promise<void>;
  /** The whole database as it is now, to be read at leisure while others go on writing. */
  snapshot(): Promise<Snapshot>;
  /** Makes the migrations that are missing. */
  migrate(): Promise<void>;
  stop(): Promise<void>;
}

export async function startStorage(options: {
  dataFolder: string;
  databaseUrl?: string | undefined;
  /** How far tables are brought up to date: as far as we know, to a migration by its name, or not at all. */
  migrateTo?: 'latest' | 'as they are' | (string & {});
}): Promise<Storage> {
  const engine = options.databaseUrl ? 'postgres' : 'sqlite';
  const path = join(options.dataFolder, 'quire.db');
  const dialect = options.databaseUrl ? postgresDialect(options.databaseUrl) : sqliteDialect(path);
  const db = new Kysely<Tables>({ dialect });
  const { migrateTo = 'latest' } = options;
  try {
    if (migrateTo !== 'as they are')
      await migrate(db, engine, migrateTo === 'latest' ? undefined : migrateTo);
  } catch (error) {
    await db.destroy();
    throw error;
  }
  const slowDb = new Kysely<Tables>({
    dialect: options.databaseUrl
      ? postgresDialect(options.databaseUrl, { connections: 3 })
      : sqliteReaderDialect(path),
  });
  return {
    db,
    engine,
    slowDb,
    commit: createGroupCommit(db),
    async check() {
      await sql`select 1`.execute(db);
    },
    snapshot: () => openSnapshot({ path, databaseUrl: options.databaseUrl }),
    migrate: () => migrate(db, engine),
    async stop() {
      await slowDb.destroy();
      await db.destroy();
    },
  };
}
