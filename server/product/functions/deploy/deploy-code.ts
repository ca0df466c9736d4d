import type { CreateFunction } from '../../../../contract/functions/functions.ts';
import { notFound } from '../../../lib/errors.ts';
import type { Actor } from '../../../platform/http/index.ts';
import type { Db, Tx } from '../../../platform/storage/index.ts';
import { noteConcerned } from '../database/concerned-pages.ts';
import { findGeneration } from '../database/store.ts';
import { findBlock } from '../model/block.ts';
import { type FunctionHead, type FunctionRow, findFunctionById } from '../model/store.ts';
import { settleNewCode } from '../schedules/change.ts';
import { assertTakesChanges } from '../triggers/change.ts';
import type { VersionContent } from './add-version.ts';
import type { DeployContext } from './context.ts';
import type { Loaded } from './load.ts';
import { planMigration, type VersionStore } from './migrate.ts';
import { prove } from './test-load.ts';

/** The source that was sent. `files` is JSON: the sources of further modules by their path. */
export type Source = Pick<VersionContent, 'code' | 'files'>;

interface Deployment {
  /** The function as it was read before; undefined for a new one. */
  before: FunctionRow | undefined;
  /** The source that was sent, or an earlier version, which is not compiled again. */
  source: Source | VersionContent;
  /** For a new function: whether it gets a database, or uses one. */
  database?: Pick<CreateFunction, 'enableDatabase' | 'useDatabase'>;
  /**
   * Stores the content as a new version, under a lock. A new function may already have a database, because its
   * migrations were applied.
   */
  store(tx: Tx, content: VersionContent, databaseId?: number): Promise<{ id: number; version: number }>;
}

/** A function, and what is known of code that was just deployed: the size of its bundle, and what may fail. */
export type DeployedRow = FunctionRow &
  Pick<Loaded, 'bundle' | 'warnings'> & {
    /** The migrations that were applied. */
    migrations?: string[];
  };

/**
 * Deploys new code: compiles it, tests in a cell that it loads, applies its migrations, stores it as a version, and lets
 * it serve. Until then, and if anything fails, the current version serves.
 */
export async function deployCode(
  context: DeployContext,
  actor: Actor,
  deployment: Deployment,
): Promise<DeployedRow> {
  const { db, registry } = context;
  const { before, source, store } = deployment;
  const migration = await planMigration(context, actor, deployment);
  const generation = await findGeneration(db, before?.database_id ?? null);
  let running: { id: number; version?: number } | undefined = before && { id: before.id };
  const { content, cell, bundle, warnings } = await prove(
    context,
    actor,
    source,
    async () => (before ? registry.toEntry({ ...before, generation }).program() : { secrets: {} }),
    () => running,
  );
  try {
    const { hasScheduled, hasQueue } = cell;
    const { result: stored, applied } = await migration.around(
      storeVersion(db, async (tx, databaseId) => {
        const version = await store(tx, content, databaseId);
        await settleNewCode(tx, version.id, { hasScheduled, now: context.now() });
        await assertTakesChanges(tx, version.id, hasQueue);
        return version;
      }),
    );
    running = stored;
    const row = await requireRow(db, stored.id);
    await noteConcerned(context, row);
    registry.drop(stored.id);
    const head = { ...row, generation: await findGeneration(db, row.database_id) };
    // The code or a secret may have changed meanwhile, and a cell that was tested without a database cannot get one.
    const isSame =
      row.version === stored.version &&
      row.secrets_revision === (before?.secrets_revision ?? 0) &&
      row.database_id === (before?.database_id ?? null) &&
      head.generation === generation;
    serve(context, cell, { head, isBlocked: findBlock(row) !== undefined, isSame });
    // A later deploy may have finished already; the caller wants to know about this one.
    return {
      ...row,
      version: stored.version,
      ...(bundle && { bundle }),
      ...(warnings && { warnings }),
      ...(applied.length > 0 && { migrations: applied }),
    };
  } catch (error) {
    cell.kill();
    throw error;
  }
}

/** Lets the cell that was tested serve, or another one. */
function serve(
  { registry, cells }: DeployContext,
  cell: Loaded['cell'],
  { head, isBlocked, isSame }: { head: FunctionHead; isBlocked: boolean; isSame: boolean },
): void {
  const entry = registry.toEntry(head);
  if (isSame && !isBlocked) {
    cells.pool.adopt(entry, cell);
    return;
  }
  cell.kill();
  // Another cell starts while the owner reads the response.
  if (!isBlocked) Promise.resolve(cells.pool.acquire(entry)).catch(() => undefined);
}

/** Ends a transaction without its changes. */
class Rehearsed extends Error {}

/** Stores a version in a transaction, which can be rehearsed. */
function storeVersion<T>(db: Db, store: (tx: Tx, databaseId?: number) => Promise<T>): VersionStore<T> {
  return {
    store: (databaseId) => db.transaction().execute((tx) => store(tx, databaseId)),
    async rehearse(databaseId) {
      const rehearsal = db.transaction().execute(async (tx) => {
        await store(tx, databaseId);
        throw new Rehearsed();
      });
      await rehearsal.catch((error) => {
        if (!(error instanceof Rehearsed)) throw error;
      });
    },
  };
}

export async function requireRow(db: Db, id: number): Promise<FunctionRow> {
  const row = await findFunctionById(db, id);
  if (!row) throw notFound('This function was not found.');
  return row;
}
