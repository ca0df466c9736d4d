import { join } from 'node:path';
import { Kysely, sql } from 'kysely';
import { createGroupCommit, type GroupCommit } from './group-commit.ts';
import type { Db } from './handles.ts';
import { migrate } from './migrate.ts';
import { postgresDialect } from './postgres.ts';
import { sqliteDialect } from './sqlite.ts';
import { sqliteReaderDialect } from './sqlite-reader.ts';
import type { Tables } from './tables.ts';

/** Tries whether PostgreSQL answers. */
export { checkPostgres } from './check-postgres.ts';
/** Holds the data folder for this process, and keeps its signing key. */
export { FolderInUseError, lockDataFolder, readSecret } from './data-folder.ts';
/** Tells a full disk, a lost connection or a broken unique rule from other errors. */
export { storageFailure, toAppError } from './failures.ts';
/** Lets writes that arrive together share a transaction. */
export type { GroupCommit } from './group-commit.ts';
/** Handles for queries, outside of a transaction and inside. */
export type { Db, Tx } from './handles.ts';
/** Queries whose text is made once, for hot paths. */
export { firstRow, statement } from './statement.ts';
/** The tables' types. */
export type { FunctionsTable, PagesTable, Tables } from './tables.ts';

/** An open database: SQLite in the data folder, or PostgreSQL where an address is given. */
export interface Storage {
  db: Db;
  engine: 'sqlite' | 'postgres';
  /** For reads that may take long: they hold nobody else up, are ended when they take too long, and see what has been committed. */
  slowDb: Db;
  commit: GroupCommit;
  /** Fails when the database does not answer. */
  check(): Promise<void>;
  stop(): Promise<void>;
}

export async function startStorage(options: {
  dataFolder: string;
  databaseUrl?: string | undefined;
}): Promise<Storage> {
  const engine = options.databaseUrl ? 'postgres' : 'sqlite';
  const path = join(options.dataFolder, 'quire.db');
  const dialect = options.databaseUrl ? postgresDialect(options.databaseUrl) : sqliteDialect(path);
  const db = new Kysely<Tables>({ dialect });
  await migrate(db, engine);
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
    async stop() {
      await slowDb.destroy();
      await db.destroy();
    },
  };
}
