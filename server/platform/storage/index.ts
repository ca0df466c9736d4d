import { join } from 'node:path';
import { Kysely, type LogEvent, sql } from 'kysely';
import { noteStatement } from '../traces/index.ts';
import { type Clock, MACHINE_CLOCK } from './clock.ts';
import { notToBeOpened } from './failures.ts';
import { GroupCommit } from './group-commit.ts';
import type { Db } from './handles.ts';
import { currentName, migrate, type Warn } from './migrate.ts';
import { type PostgresLink, unavailable } from './postgres/patience.ts';
import { openLink, postgresDialect } from './postgres/postgres.ts';
import { createSearch, type Search } from './search.ts';
import { openSnapshot } from './snapshot/open.ts';
import type { Snapshot } from './snapshot/snapshot.ts';
import { sqliteReaderDialect } from './sqlite/reader.ts';
import { sqliteDialect } from './sqlite/sqlite.ts';
import type { Tables } from './tables/tables.ts';
import { createWatch, type StorageStatus } from './watch.ts';

/** Calls a function once a transaction is committed. */
export { afterCommit } from './after-commit.ts';
/** Reads long lists some rows at a time. */
export { eachRow, inBatches } from './batches.ts';
/** The time that all nodes agree on. */
export type { Clock } from './clock.ts';
/** How many rows a query finds. */
export { countRows } from './count-rows.ts';
/** Locks the data folder for this process, and reads its signing key. */
export {
  FolderInUseError,
  lockDataFolder,
  readKeyFile,
  readNodeName,
  readServiceKey,
  setKeyAside,
} from './data-folder.ts';
/** Distinguishes a full disk, a lost connection and a unique violation from other errors. */
export { storageFailure, toAppError } from './failures.ts';
/** Writes what was counted in memory, in batches. */
export { FlushLoop } from './flush-loop.ts';
/** Lets writes that arrive together share a transaction. */
export type { GroupCommit } from './group-commit.ts';
/** Handles for queries, outside of a transaction and inside. */
export type { Db, Tx } from './handles.ts';
/** Protects rows from deletion while a transaction changes what belongs to them. */
export { keepRows } from './keep-rows.ts';
/** Makes transactions that count something together wait for each other. */
export { lockName } from './lock-name.ts';
/** The migrations this version knows, and the error for a database that has others. */
export { currentName, MIGRATION_NAMES, UnknownTablesError } from './migrate.ts';
/** The registration of a node that shares a PostgreSQL with others. */
export { leaseNode, NodeError, type NodeLease, type Peer } from './nodes/nodes.ts';
/** The nodes that run now. */
export { listRunningNodes } from './nodes/running.ts';
/** Checks whether PostgreSQL responds. */
export { checkPostgres } from './postgres/check.ts';
/** Waits until the transactions of others that are writing now have ended. */
export { untilWritesEnd } from './postgres/open-writes.ts';
/** Lets a transaction wait for something other than the database. */
export { mayIdle } from './postgres/postgres.ts';
export { postgresBytes } from './postgres/size.ts';
/** Searches columns for a text, without delaying others. */
export { contains, type Search } from './search.ts';
/** The whole database at one point in time, row by row, and the tables that are not in it. */
export { NODE_TABLES, type PlainRow, type Snapshot } from './snapshot/snapshot.ts';
/** Queries that are compiled once, for hot paths. */
export { firstRow, statement } from './statement.ts';
/** Branches of pages, and repairs on them. */
export type { BranchRow, RepairRow } from './tables/branches.ts';
/** A domain of a page. */
export type { DomainRow } from './tables/domains.ts';
/** The types of the functions' table, and of the snapshots of their databases. */
export type { DatabaseSnapshotsTable, FunctionsTable } from './tables/functions.ts';
/** Moments of pages, and their restores. */
export type { MomentRow, RestoreRow } from './tables/history.ts';
/** The tables' types. */
export type { PagePictureRow, PageRow } from './tables/pages.ts';
/** How somebody has logged in. */
export type { LoginMethod } from './tables/people.ts';
/** What visitors report. */
export type { ReportRow } from './tables/reports.ts';
export type { Tables } from './tables/tables.ts';
/** Connection counts and failures of the database. */
export type { StorageStatus } from './watch.ts';

/** An open database: SQLite in the data folder, or PostgreSQL if a URL is set. */
export interface Storage {
  db: Db;
  engine: 'sqlite' | 'postgres';
  /** For slow reads: they do not block others, are ended if they take too long, and see what has been committed. */
  slowDb: Db;
  /** For searches by strangers, on `slowDb`. */
  search: Search;
  commit: GroupCommit;
  /** The time of everything that is stored. */
  clock: Clock;
  /** What this node knows about PostgreSQL; undefined on SQLite. */
  link: PostgresLink | undefined;
  /** Throws if the database does not respond. */
  check(): Promise<void>;
  /** The whole database in its current state. Others can keep writing while it is read. */
  snapshot(): Promise<Snapshot>;
  /** Runs the missing migrations. */
  migrate(): Promise<void>;
  status(): StorageStatus;
  stop(): Promise<void>;
}

export async function startStorage(options: {
  dataFolder: string;
  databaseUrl?: string | undefined;
  /** How far to migrate: to the latest migration, to the one with this name, or not at all. */
  migrateTo?: 'latest' | 'as they are' | (string & {});
  /** Where the replica of an SQLite database is, if it has one. */
  replica?: object | undefined;
  /** Set if statements can be part of traces. */
  traces?: object | undefined;
  /** Logs warnings for the operator: waiting for another node, or a database from a later version. */
  warn?: Warn;
}): Promise<Storage> {
  const { databaseUrl, migrateTo = 'latest', warn = () => undefined } = options;
  const engine = databaseUrl ? 'postgres' : 'sqlite';
  const path = join(options.dataFolder, 'quire.db');
  const watch = createWatch();
  const link = databaseUrl ? await openLink(databaseUrl, watch).catch(explain) : undefined;
  const open = (pool: { connections: number; pipelined?: number; isForLongReads?: boolean }) =>
    databaseUrl ? postgresDialect(databaseUrl, { ...pool, watch, ...(link && { link }) }) : undefined;
  const traced = options.traces && { log: noteQuery };
  const db = new Kysely<Tables>({
    ...traced,
    dialect:
      open({ connections: 8, pipelined: 2 }) ?? sqliteDialect(path, watch, options.replica !== undefined),
  });

  const bringTo = (upTo: string | undefined) => migrateWith(databaseUrl, { db, engine, upTo, warn });
  try {
    if (migrateTo !== 'as they are')
      await bringTo(migrateTo === 'latest' ? undefined : currentName(migrateTo));
  } catch (error) {
    await db.destroy();
    await link?.heartbeat.stop();
    return explain(error);
  }
  const slowDb = new Kysely<Tables>({
    ...traced,
    dialect: open({ connections: 3, isForLongReads: true }) ?? sqliteReaderDialect(path),
  });
  return {
    db,
    engine,
    slowDb,
    search: createSearch(slowDb),
    commit: new GroupCommit(db, traced !== undefined),
    clock: link?.heartbeat.clock ?? MACHINE_CLOCK,
    link,
    check: () => check(db, link),
    snapshot: () => openSnapshot({ path, databaseUrl }),
    migrate: () => bringTo(undefined),
    status: watch.status,
    async stop() {
      await slowDb.destroy();
      await db.destroy();
      await link?.heartbeat.stop();
    },
  };
}

async function check(db: Db, link: PostgresLink | undefined): Promise<void> {
  if (link && link.heartbeat.state !== 'answers') throw unavailable();
  await sql`select 1`.execute(db);
}

function noteQuery({ level, query, queryDurationMillis }: LogEvent): void {
  noteStatement(query.sql, queryDurationMillis, level === 'error');
}

/** Migrates the database, on PostgreSQL with connections that have no time limit for queries. */
async function migrateWith(
  databaseUrl: string | undefined,
  options: Parameters<typeof migrate<Tables>>[0],
): Promise<void> {
  if (!databaseUrl) return migrate(options);
  const patient = new Kysely<Tables>({
    dialect: postgresDialect(databaseUrl, { connections: 2, isPatient: true }),
  });
  try {
    await migrate({ ...options, db: patient });
  } finally {
    await patient.destroy();
  }
}

function explain(error: unknown): never {
  throw notToBeOpened(error) ?? error;
}
