import { type Kysely, Migrator, sql } from 'kysely';
import * as foundation from './migrations/0001-foundation.ts';
import * as functions from './migrations/0002-functions.ts';
import * as data from './migrations/0003-data.ts';
import * as features from './migrations/0004-features.ts';
import * as invites from './migrations/0005-invites.ts';
import * as databaseBytes from './migrations/0006-database-bytes.ts';
import * as wideKeys from './migrations/0007-wide-keys.ts';
import * as tokenLogins from './migrations/0008-token-logins.ts';
import * as nodes from './migrations/0009-nodes.ts';
import * as usageOfTexts from './migrations/0010-usage-of-texts.ts';
import * as oauth from './migrations/0011-oauth.ts';
import * as screenshots from './migrations/0012-screenshots.ts';
import * as tokenLimits from './migrations/0013-token-limits.ts';
import * as agentFunctions from './migrations/0014-agent-functions.ts';
import * as files from './migrations/0015-files.ts';
import * as pageAccess from './migrations/0016-page-access.ts';
import * as domains from './migrations/0017-domains.ts';
import * as forms from './migrations/0018-forms.ts';
import * as sharedDocuments from './migrations/0019-shared-documents.ts';
import * as functionVersions from './migrations/0020-function-versions.ts';
import * as schedules from './migrations/0022-schedules.ts';
import * as collectionRules from './migrations/0023-collection-rules.ts';
import * as people from './migrations/0024-people.ts';
import * as leaving from './migrations/0025-leaving.ts';
import * as dashboard from './migrations/0026-dashboard.ts';
import * as draftFiles from './migrations/0027-draft-files.ts';
import * as publishConsents from './migrations/0028-publish-consents.ts';
import * as builder from './migrations/0029-builder.ts';
import * as pictureClaims from './migrations/0030-picture-claims.ts';
import * as mailedInvites from './migrations/0031-mailed-invites.ts';
import * as listedFunctions from './migrations/0032-listed-functions.ts';
import * as purgeIndexes from './migrations/0033-purge-indexes.ts';
import * as recordTexts from './migrations/0034-record-texts.ts';
import * as reservedSlugs from './migrations/0035-reserved-slugs.ts';
import { type Engine, type MigrationTools, migrationTools } from './migrations/tools.ts';

/** In order, forward only. Never edit a migration that has landed. Migrations only add: see decision 16. */
const MIGRATIONS: Record<string, { up(tools: MigrationTools): Promise<void> }> = {
  '0001-foundation': foundation,
  '0002-functions': functions,
  '0003-data': data,
  '0004-features': features,
  '0005-invites': invites,
  '0006-database-bytes': databaseBytes,
  '0007-wide-keys': wideKeys,
  '0008-token-logins': tokenLogins,
  '0009-nodes': nodes,
  '0010-usage-of-texts': usageOfTexts,
  '0011-oauth': oauth,
  '0012-screenshots': screenshots,
  '0013-token-limits': tokenLimits,
  '0014-agent-functions': agentFunctions,
  '0015-files': files,
  '0016-page-access': pageAccess,
  '0017-domains': domains,
  '0018-forms': forms,
  '0019-shared-documents': sharedDocuments,
  '0020-function-versions': functionVersions,
  '0022-schedules': schedules,
  '0023-collection-rules': collectionRules,
  '0024-people': people,
  '0025-leaving': leaving,
  '0026-dashboard': dashboard,
  '0027-draft-files': draftFiles,
  '0028-publish-consents': publishConsents,
  '0029-builder': builder,
  '0030-picture-claims': pictureClaims,
  '0031-mailed-invites': mailedInvites,
  '0032-listed-functions': listedFunctions,
  '0033-purge-indexes': purgeIndexes,
  '0034-record-texts': recordTexts,
  '0035-reserved-slugs': reservedSlugs,
};

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
  if (isUpToDate(await listExecuted(migration), migration)) return;
  await underLock(migration, async () => {
    // Another node may have migrated while we waited.
    if (isUpToDate(await listExecuted(migration), migration)) return;
    await run(migration);
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

/** Kysely has its own lock, but cannot report that it waits. Only one process uses a SQLite file. */
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
