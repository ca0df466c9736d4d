import { type Kysely, Migrator, sql } from 'kysely';
import * as tables from './migrations/0001-tables.ts';
import * as recordTexts from './migrations/0034-record-texts.ts';
import * as reservedSlugs from './migrations/0035-reserved-slugs.ts';
import * as pageServing from './migrations/0036-page-serving.ts';
import * as claims from './migrations/0037-claims.ts';
import * as passwordRequests from './migrations/0038-password-requests.ts';
import * as pageViewDays from './migrations/0039-page-view-days.ts';
import * as pageSamples from './migrations/0040-page-samples.ts';
import * as galleryTopics from './migrations/0041-gallery-topics.ts';
import * as builderProgress from './migrations/0042-builder-progress.ts';
import * as templateRequests from './migrations/0043-template-requests.ts';
import * as pageFunctions from './migrations/0044-page-functions.ts';
import * as functionAi from './migrations/0045-function-ai.ts';
import * as recordLog from './migrations/0046-record-log.ts';
import * as moments from './migrations/0047-moments.ts';
import * as databaseSnapshots from './migrations/0048-database-snapshots.ts';
import * as backupPlans from './migrations/0049-backup-plans.ts';
import * as jobs from './migrations/0050-jobs.ts';
import * as recordIndexes from './migrations/0051-record-indexes.ts';
import * as recordSearch from './migrations/0054-record-search.ts';
import * as protectedPages from './migrations/0056-protected-pages.ts';
import * as auditStream from './migrations/0060-audit-stream.ts';
import * as attackFindings from './migrations/0061-attack-findings.ts';
import * as branches from './migrations/0062-branches.ts';
import * as triggers from './migrations/0063-triggers.ts';
import * as merges from './migrations/0064-merges.ts';
import * as repairs from './migrations/0067-repairs.ts';
import * as jobCutOffs from './migrations/0068-job-cut-offs.ts';
import * as pageReports from './migrations/0069-page-reports.ts';
import * as storageWarnings from './migrations/0070-storage-warnings.ts';
import * as restoreClaims from './migrations/0071-restore-claims.ts';
import * as attackFirst from './migrations/0072-attack-first.ts';
import * as attackReports from './migrations/0073-attack-reports.ts';
import * as copiedUsage from './migrations/0074-copied-usage.ts';
import * as removedTakedowns from './migrations/0077-removed-takedowns.ts';
import * as reshard from './migrations/0078-reshard.ts';
import * as nodeKeys from './migrations/0079-node-keys.ts';
import * as smallerRecordLog from './migrations/0081-smaller-record-log.ts';
import { type Engine, type MigrationTools, migrationTools } from './migrations/tools.ts';

/** All migrations in order, forward only. Never edit one that has landed. They only add: see decision 16. */
const MIGRATIONS: Record<string, { up(tools: MigrationTools): Promise<void> }> = {
  '0001-tables': tables,
  '0034-record-texts': recordTexts,
  '0035-reserved-slugs': reservedSlugs,
  '0036-page-serving': pageServing,
  '0037-claims': claims,
  '0038-password-requests': passwordRequests,
  '0039-page-view-days': pageViewDays,
  '0040-page-samples': pageSamples,
  '0041-gallery-topics': galleryTopics,
  '0042-builder-progress': builderProgress,
  '0043-template-requests': templateRequests,
  '0044-page-functions': pageFunctions,
  '0045-function-ai': functionAi,
  '0046-record-log': recordLog,
  '0047-moments': moments,
  '0048-database-snapshots': databaseSnapshots,
  '0049-backup-plans': backupPlans,
  '0050-jobs': jobs,
  '0051-record-indexes': recordIndexes,
  '0054-record-search': recordSearch,
  '0056-protected-pages': protectedPages,
  '0060-audit-stream': auditStream,
  '0061-attack-findings': attackFindings,
  '0062-branches': branches,
  '0063-triggers': triggers,
  '0064-merges': merges,
  '0067-repairs': repairs,
  '0068-job-cut-offs': jobCutOffs,
  '0069-page-reports': pageReports,
  '0070-storage-warnings': storageWarnings,
  '0071-restore-claims': restoreClaims,
  '0072-attack-first': attackFirst,
  '0073-attack-reports': attackReports,
  '0074-copied-usage': copiedUsage,
  '0077-removed-takedowns': removedTakedowns,
  '0078-reshard': reshard,
  '0079-node-keys': nodeKeys,
  '0081-smaller-record-log': smallerRecordLog,
};

/** The last of 32 migrations that `0001-tables` replaces. A database or an archive that ends with it has the same tables. */
const LAST_REPLACED = '0033-purge-indexes';

/** The name that a migration has now. */
export const currentName = (name: string) => (name === LAST_REPLACED ? '0001-tables' : name);

/** The migrations this version knows, in order. */
export const MIGRATION_NAMES = Object.keys(MIGRATIONS);

/** Thrown if this version does not know the tables and cannot work with them. */
export class UnknownTablesError extends Error {}

/** An arbitrary number that no other advisory lock uses. */
const LOCK = 7_403_316_518;

/** Logs a warning for the operator. */
export type Warn = (sentence: string) => void;

interface Migration<T> {
  db: Kysely<T>;
  engine: Engine;
  /** The last migration to run; undefined for the latest. */
  upTo?: string | undefined;
  warn: Warn;
}

/**
 * Migrates the database to the latest or to an earlier migration. If several nodes start together, one migrates under a
 * lock and the others wait, however long that takes, so `db` must have no time limits. A database that a later version
 * has migrated further is left unchanged.
 */
export async function migrate<T>(migration: Migration<T>): Promise<void> {
  const executed = await listExecuted(migration);
  if (!executed.includes(LAST_REPLACED) && isUpToDate(executed, migration)) return;
  await underLock(migration, async () => {
    await adopt(migration);
    // Another node may have migrated while we waited.
    if (isUpToDate(await listExecuted(migration), migration)) return;
    await run(migration);
  });
}

/** Notes the one migration in place of those that it replaces, in a database that has them all. */
async function adopt<T>(migration: Migration<T>): Promise<void> {
  if (!(await listExecuted(migration)).includes(LAST_REPLACED)) return;
  const name = currentName(LAST_REPLACED);
  await migration.db.transaction().execute(async (tx) => {
    await sql`delete from kysely_migration where name < ${LAST_REPLACED}`.execute(tx);
    await sql`update kysely_migration set name = ${name} where name = ${LAST_REPLACED}`.execute(tx);
  });
}

async function run<T>({ db, engine, upTo }: Migration<T>): Promise<void> {
  const migrations = Object.entries(MIGRATIONS).map(([name, { up }]) => [
    name,
    { up: (tx: Kysely<unknown>) => up(migrationTools(tx, engine)) },
  ]);
  const migrator = new Migrator({
    db,
    provider: { getMigrations: async () => Object.fromEntries(migrations) },
  });
  const { error } = await (upTo ? migrator.migrateTo(upTo) : migrator.migrateToLatest());
  if (error) throw error;
}

/** True if there is nothing to do. Warns of migrations that a later version has added. */
function isUpToDate(executed: string[], { upTo, warn }: Pick<Migration<unknown>, 'upTo' | 'warn'>): boolean {
  const wanted = MIGRATION_NAMES.filter((name) => upTo === undefined || name <= upTo);
  const unknown = executed.filter((name) => !MIGRATION_NAMES.includes(name));
  const missing = wanted.filter((name) => !executed.includes(name));
  if (unknown.length === 0) return missing.length === 0;
  const last = MIGRATION_NAMES.at(-1) ?? '';
  if (missing.length > 0 || unknown.some((name) => name < last)) {
    throw new UnknownTablesError(
      `The database has migrations that this version does not know (${unknown.join(', ')}). Start the version of Quire that it belongs to.`,
    );
  }
  warn(
    `a later version of Quire has added to the database (${unknown.join(', ')}); this one goes on without`,
  );
  return true;
}

/** The names of the migrations that have run on this database. */
async function listExecuted<T>({ db, engine }: Pick<Migration<T>, 'db' | 'engine'>): Promise<string[]> {
  // Kysely's own list of tables reads all columns of all of them.
  const find =
    engine === 'sqlite'
      ? sql`select name from sqlite_master where type = 'table' and name = 'kysely_migration'`
      : sql`select 1 where to_regclass('kysely_migration') is not null`;
  const { rows: found } = await find.execute(db);
  if (found.length === 0) return [];
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db);
  return rows.map(({ name }) => name);
}

/** Works under a lock. Kysely's own lock cannot report that it waits. Only one process uses a SQLite file. */
function underLock<T>({ db, engine, warn }: Migration<T>, work: () => Promise<void>): Promise<void> {
  if (engine === 'sqlite') return work();
  return db.connection().execute(async (holder) => {
    const tried = await sql<{ isFree: boolean }>`select pg_try_advisory_lock(${LOCK}) as "isFree"`.execute(
      holder,
    );
    if (!tried.rows[0]?.isFree) {
      warn('another node is bringing the database up to date; waiting for it');
      await sql`select pg_advisory_lock(${LOCK})`.execute(holder);
    }
    try {
      await work();
    } finally {
      await sql`select pg_advisory_unlock(${LOCK})`.execute(holder);
    }
  });
}
