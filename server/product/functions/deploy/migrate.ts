import type { CreateFunction } from '../../../../contract/functions/functions.ts';
import { findMigrations } from '../../../../contract/rules/projects/migrations.ts';
import type { Migration } from '../../../../workers/protocol.ts';
import { AppError } from '../../../lib/errors.ts';
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

/** Stores the version in a transaction, or only tries whether that is possible. */
export interface VersionStore<T> {
  store(databaseId?: number): Promise<T>;
  /** Does everything that `store` does, and undoes it again. */
  rehearse(databaseId?: number): Promise<void>;
}

/** Applies the migrations of a deploy, and then stores the version. */
interface MigrationPlan {
  around<T>(version: VersionStore<T>): Promise<{ result: T; applied: string[] }>;
}

/**
 * Reads the migrations of a deploy, and refuses those that the function cannot have. They are applied before the version
 * is stored, and not in the same transaction: the database may take long, and its host may have to ask for quota. So
 * that the old code does not stay with the new schema, storing is rehearsed first: whatever is against it then leaves the
 * schema as it is. If it fails after all, because somebody else was faster or the service ended, the migrations stay
 * applied, the error says so, and the next deploy finds them noted.
 */
export async function planMigration(
  context: DeployContext,
  actor: Actor,
  { before, source, database }: Migrating,
): Promise<MigrationPlan> {
  const migrations = findMigrations(parseFiles(source.files));
  if (migrations.length === 0)
    return { around: async ({ store }) => ({ result: await store(), applied: [] }) };
  await assertMayMigrate(context.db, migrations, {
    function: before,
    hasDatabase: before ? before.database_id !== null : database?.enableDatabase === true,
    useDatabase: database?.useDatabase,
  });
  const databaseId = before?.database_id;
  if (typeof databaseId !== 'number')
    return { around: (version) => withNewDatabase(context, actor.userId, migrations, version) };
  const target = { ownerId: actor.userId, databaseId };
  return {
    async around({ store, rehearse }) {
      await rehearse();
      const applied = await migrate(context.databases, target, migrations);
      const result = await store().catch((error) => {
        throw applied.length > 0 ? stayApplied(applied, error) : error;
      });
      return { result, applied };
    },
  };
}

/** The error of a deploy whose migrations are applied, and whose code is not stored. */
export function stayApplied(applied: string[], cause: unknown): AppError {
  const said =
    cause instanceof AppError ? cause : new AppError('OUTCOME_UNKNOWN', 'The code was not stored.');
  return new AppError(
    said.code,
    '{reason} The migrations {names} are applied already and stay applied, so the code from before now runs with the new schema. Deploy again.',
    { reason: said.message, names: applied.join(', ') },
    { cause, body: { migrations: applied } },
  );
}

/** Makes the database of a new function first. It is removed again if the function is not stored. */
async function withNewDatabase<T>(
  context: DeployContext,
  ownerId: number,
  migrations: Migration[],
  { store, rehearse }: VersionStore<T>,
): Promise<{ result: T; applied: string[] }> {
  const { db, databases } = context;
  const databaseId = await db.transaction().execute((tx) => insertDatabase(tx, ownerId, context.now()));
  try {
    await rehearse(databaseId);
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
