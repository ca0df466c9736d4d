import { type Kysely, Migrator } from 'kysely';
import * as foundation from './migrations/0001-foundation.ts';
import * as functions from './migrations/0002-functions.ts';
import * as data from './migrations/0003-data.ts';
import * as features from './migrations/0004-features.ts';
import * as invites from './migrations/0005-invites.ts';
import * as databaseBytes from './migrations/0006-database-bytes.ts';
import { type Engine, type MigrationTools, migrationTools } from './migrations/tools.ts';

/** In order, forward only. A landed migration is never edited. */
const MIGRATIONS: Record<string, { up(tools: MigrationTools): Promise<void> }> = {
  '0001-foundation': foundation,
  '0002-functions': functions,
  '0003-data': data,
  '0004-features': features,
  '0005-invites': invites,
  '0006-database-bytes': databaseBytes,
};

/** The migrations this program knows, in order. */
export const MIGRATION_NAMES = Object.keys(MIGRATIONS);

/** Brings the database up to date, or to an earlier day. Several nodes may try at once: Kysely takes a lock on PostgreSQL. */
export async function migrate<T>(db: Kysely<T>, engine: Engine, upTo?: string): Promise<void> {
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
