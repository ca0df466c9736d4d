import type { CreateFunction } from '../../../../contract/functions/functions.ts';
import { findMigrations } from '../../../../contract/rules/projects/migrations.ts';
import type { Migration } from '../../../../workers/protocol.ts';
import type { Actor } from '../../../platform/http/index.ts';
import { assertMayMigrate, migrate } from '../database/migrations.ts';
import { insertDatabase, retireUnusedDatabase } from '../database/store.ts';
import { parseFiles } from '../model/files.ts';
import type { FunctionRow } from '../model/store.ts';
import type { DeployContext } from './context.ts';
import { removeDatabase } from './remove-databases.ts';

interface Migrating {
  before: FunctionRow | undefined;
  source: { files: string | null };
  database?: Pick<CreateFunction, 'enableDatabase' | 'useDatabase'>;
}

/** Applies the migrations of a deploy, and then stores the version. */
interface MigrationPlan {
  around<T>(store: (databaseId?: number) => Promise<T>): Promise<{ result: T; applied: string[] }>;
}

/**
 * Reads the migrations of a deploy, and refuses those that the function cannot have. They are applied before the version
 * is stored, and not in the same transaction: the database may take long, and its host may have to ask for quota. If
 * the version is not stored after all, they stay applied, and the next deploy finds them noted.
 */
export async function planMigration(
  context: DeployContext,
  actor: Actor,
  { before, source, database }: Migrating,
): Promise<MigrationPlan> {
  const migrations = findMigrations(parseFiles(source.files));
  if (migrations.length === 0) return { around: async (store) => ({ result: await store(), applied: [] }) };
  await assertMayMigrate(context.db, migrations, {
    function: before,
    hasDatabase: before ? before.database_id !== null : database?.enableDatabase === true,
    useDatabase: database?.useDatabase,
  });
  const databaseId = before?.database_id;
  if (typeof databaseId !== 'number')
    return { around: (store) => withNewDatabase(context, actor.userId, migrations, store) };
  const target = { ownerId: actor.userId, databaseId };
  return {
    async around(store) {
      const applied = await migrate(context.databases, target, migrations);
      return { result: await store(), applied };
    },
  };
}

/** Makes the database of a new function first. It is removed again if the function is not stored. */
async function withNewDatabase<T>(
  context: DeployContext,
  ownerId: number,
  migrations: Migration[],
  store: (databaseId: number) => Promise<T>,
): Promise<{ result: T; applied: string[] }> {
  const { db, databases } = context;
  const databaseId = await db.transaction().execute((tx) => insertDatabase(tx, ownerId, context.now()));
  try {
    const applied = await migrate(databases, { ownerId, databaseId }, migrations);
    return { result: await store(databaseId), applied };
  } catch (error) {
    const isUnused = await db
      .transaction()
      .execute((tx) => retireUnusedDatabase(tx, databaseId, context.now()));
    if (isUnused) await removeDatabase(context, ownerId, databaseId);
    throw error;
  }
}
