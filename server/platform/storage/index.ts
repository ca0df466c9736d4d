import { join } from 'node:path';
import { Kysely, sql } from 'kysely';
import { notToBeOpened } from './failures.ts';
import type { Db } from './handles.ts';
import { migrate, type Warn } from './migrate.ts';
import { postgresDialect } from './postgres/postgres.ts';
import { openSnapshot } from './snapshot/open.ts';
import type { Snapshot } from './snapshot/snapshot.ts';
import { createGroupCommit, type GroupCommit } from './sqlite/group-commit.ts';
import { sqliteReaderDialect } from './sqlite/reader.ts';
import { sqliteDialect } from './sqlite/sqlite.ts';
import type { Tables } from './tables.ts';
import { createWatch, type StorageStatus } from './watch.ts';

/** Holds the data folder for this process, and keeps its signing key. */
export { FolderInUseError, lockDataFolder, readSecret } from './data-folder.ts';
/** Tells a full disk, a lost connection or a broken unique rule from other errors. */
export { storageFailure, toAppError } from './failures.ts';
/** The type of the functions' table. */
export type { FunctionsTable } from './function-tables.ts';
/** Handles for queries, outside of a transaction and inside. */
export type { Db, Tx } from './handles.ts';
/** Which migrations this program knows, and the error when a database has had others. */
export { MIGRATION_NAMES, UnknownTablesError } from './migrate.ts';
/** A node among those on the same PostgreSQL. */
export { leaseNode, NodeError, type NodeLease } from './nodes/nodes.ts';
/** Tries whether PostgreSQL answers. */
export { checkPostgres } from './postgres/check.ts';
/** Lets a transaction wait for something else than the database. */
export { mayIdle } from './postgres/postgres.ts';
/** Looks for a text in columns. */
export { contains } from './search.ts';
/** The whole database at one moment, row by row. */
export type { PlainRow, Snapshot } from './snapshot/snapshot.ts';
/** Lets writes that arrive together share a transaction. */
export type { GroupCommit } from './sqlite/group-commit.ts';
/** Queries whose text is made once, for hot paths. */
export { firstRow, statement } from './statement.ts';
/** The tables' types. */
export type { PageRow, Tables } from './tables.ts';
/** How the database does, as seen from here. */
export type { StorageStatus } from './watch.ts';

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
  status(): StorageStatus;
  stop(): Promise<void>;
}

export async function startStorage(options: {
  dataFolder: string;
  databaseUrl?: string | undefined;
  /** How far tables are brought up to date: as far as we know, to a migration by its name, or not at all. */
  migrateTo?: 'latest' | 'as they are' | (string & {});
  /** Hears what an operator should know of: that another node is waited for, that the database is of a later day. */
  warn?: Warn;
}): Promise<Storage> {
  const engine = options.databaseUrl ? 'postgres' : 'sqlite';
  const path = join(options.dataFolder, 'quire.db');
  const watch = createWatch();
  const dialect = options.databaseUrl
    ? postgresDialect(options.databaseUrl, { watch })
    : sqliteDialect(path, watch);
  const db = new Kysely<Tables>({ dialect });
  const { migrateTo = 'latest', warn = () => undefined } = options;

  /** On PostgreSQL by connections of its own: it may take, and wait, longer than any query is given. */
  async function bringTo(upTo: string | undefined): Promise<void> {
    if (!options.databaseUrl) return migrate({ db, engine, upTo, warn });
    const patient = new Kysely<Tables>({
      dialect: postgresDialect(options.databaseUrl, { connections: 2, isPatient: true }),
    });
    try {
      await migrate({ db: patient, engine, upTo, warn });
    } finally {
      await patient.destroy();
    }
  }

  try {
    if (migrateTo !== 'as they are') await bringTo(migrateTo === 'latest' ? undefined : migrateTo);
  } catch (error) {
    await db.destroy();
    throw notToBeOpened(error) ?? error;
  }
  const slowDb = new Kysely<Tables>({
    dialect: options.databaseUrl
      ? postgresDialect(options.databaseUrl, { connections: 3, isForLongReads: true, watch })
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
    migrate: () => bringTo(undefined),
    status: watch.status,
    async stop() {
      await slowDb.destroy();
      await db.destroy();
    },
  };
}
