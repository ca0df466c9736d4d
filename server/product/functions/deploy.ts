import type { CreateFunction, PatchFunction } from '../../../contract/functions.ts';
import { AppError, notFound } from '../../lib/errors.ts';
import {
  type Cell,
  type CellProgram,
  LoadError,
  OwnerShareError,
  PoolFullError,
} from '../../platform/cells/index.ts';
import { DatabaseUnavailableError } from '../../platform/databases/index.ts';
import type { Actor, Log } from '../../platform/http/index.ts';
import type { Db, Tx } from '../../platform/storage/index.ts';
import { StartError } from '../../platform/workerd/index.ts';
import { requireOwner } from './access.ts';
import type { DeployContext } from './context.ts';
import { forgetDatabase } from './database/grants.ts';
import { assertCodeSize, assertSlug } from './limits.ts';
import { listSecretSizes } from './secrets/store.ts';
import {
  deleteFunction,
  type FunctionRow,
  findFunction,
  findFunctionById,
  insertDatabase,
  insertFunction,
  listRetiredDatabases,
  lockDatabase,
  lockFunction,
  retireUnusedDatabase,
  updateFunction,
} from './store.ts';

/** Deploys a new function: the module is really loaded before anything is stored. */
export async function createFunction(
  context: DeployContext,
  actor: Actor,
  body: CreateFunction,
): Promise<FunctionRow> {
  const { db, cells, registry, chargeUsage } = context;
  assertSlug(body.slug);
  assertCodeSize(body.code);
  if (body.enableDatabase && body.useDatabase !== undefined) {
    const message = 'excludes enableDatabase: give one of them';
    throw new AppError('BAD_REQUEST', `useDatabase: ${message}.`, {
      details: [{ path: 'useDatabase', message }],
    });
  }
  if (await findFunction(db, body.slug)) throw slugTaken(body.slug);
  let id: number | undefined;
  const program = async () => ({ code: body.code, secrets: {} });
  const cell = await prove(context, actor, program, () => id);
  try {
    id = await db.transaction().execute(async (tx) => {
      await chargeUsage(tx, actor.userId, { functions: 1, bytes: Buffer.byteLength(body.code) });
      const databaseId = await databaseFor(tx, actor, body, context.now());
      const inserted = await insertFunction(tx, {
        owner_id: actor.userId,
        slug: body.slug,
        display_name: body.displayName,
        description: body.description,
        code: body.code,
        is_public: body.isPublic ? 1 : 0,
        database_id: databaseId,
        created_at: context.now(),
        updated_at: context.now(),
      });
      if (inserted === undefined) throw slugTaken(body.slug);
      return inserted;
    });
    const row = await requireRow(db, id);
    const entry = registry.toEntry(row);
    if (row.database_id === null) {
      cells.pool.adopt(entry, cell);
    } else {
      // A cell that was tested without a database cannot get one. Another starts while the owner reads the
      // response.
      cell.kill();
      Promise.resolve(cells.pool.acquire(entry)).catch(() => undefined);
    }
    return row;
  } catch (error) {
    cell.kill();
    throw error;
  }
}

/** Changes a function. New code is tested first, and the old version serves until the new one does. */
export async function patchFunction(
  context: DeployContext,
  actor: Actor,
  slug: string,
  patch: PatchFunction,
): Promise<FunctionRow> {
  const { db, registry, cells } = context;
  const before = requireOwner(await findFunction(db, slug), actor);
  if (patch.code !== undefined) assertCodeSize(patch.code);
  const isNewCode = patch.code !== undefined && patch.code !== before.code;
  const cell = isNewCode
    ? await prove(
        context,
        actor,
        async () => ({ ...(await registry.toEntry(before).program()), code: patch.code ?? '' }),
        () => before.id,
      )
    : undefined;
  try {
    await db.transaction().execute(async (tx) => {
      const row = requireOwner(await lockFunction(tx, slug), actor);
      if (patch.code !== undefined) {
        const bytes = Buffer.byteLength(patch.code) - Buffer.byteLength(row.code);
        await context.chargeUsage(tx, actor.userId, { bytes });
      }
      await updateFunction(tx, row.id, {
        ...(patch.code !== undefined && {
          code: patch.code,
          version: row.version + (patch.code === row.code ? 0 : 1),
        }),
        ...(patch.displayName !== undefined && { display_name: patch.displayName }),
        ...(patch.description !== undefined && { description: patch.description }),
        ...(patch.isPublic !== undefined && { is_public: patch.isPublic ? 1 : 0 }),
        updated_at: context.now(),
      });
    });
  } catch (error) {
    cell?.kill();
    throw error;
  }
  const row = await requireRow(db, before.id);
  registry.drop(row.id);
  // The code or a secret may have changed meanwhile. Then the next call starts a cell with the current ones.
  const isCurrent = cell && row.code === patch.code && row.secrets_revision === before.secrets_revision;
  if (isCurrent) cells.pool.adopt(registry.toEntry(row), cell);
  else cell?.kill();
  return row;
}

/** Removes a function, and its database if no other function uses it. */
export async function removeFunction(context: DeployContext, actor: Actor, slug: string): Promise<void> {
  const { db, registry } = context;
  requireOwner(await findFunction(db, slug), actor);
  const removed = await db.transaction().execute(async (tx) => {
    const row = requireOwner(await lockFunction(tx, slug), actor);
    if (row.database_id !== null) await lockDatabase(tx, row.database_id);
    const secrets = await listSecretSizes(tx, row.id);
    const bytes = secrets.reduce(
      (sum, { name, size }) => sum + name.length + size,
      Buffer.byteLength(row.code),
    );
    await context.chargeUsage(tx, actor.userId, { functions: -1, bytes: -bytes });
    await deleteFunction(tx, row.id);
    const isDatabaseUnused =
      row.database_id !== null && (await retireUnusedDatabase(tx, row.database_id, context.now()));
    return { id: row.id, databaseId: isDatabaseUnused ? row.database_id : null };
  });
  registry.remove(removed.id);
  if (removed.databaseId !== null) await removeDatabase(context, actor.userId, removed.databaseId);
}

/**
 * Removes an unused database: its file first, so that after a crash the record is still there to repeat it.
 */
async function removeDatabase(
  { db, cells, chargeUsage }: Pick<DeployContext, 'db' | 'cells' | 'chargeUsage'>,
  ownerId: number,
  databaseId: number,
): Promise<void> {
  try {
    await cells.databases.remove(ownerId, databaseId);
  } catch (error) {
    // The record stays, and the removal is repeated later.
    if (error instanceof DatabaseUnavailableError) return;
    throw error;
  }
  await forgetDatabase(db, chargeUsage, databaseId);
}

/**
 * Removes databases that were deleted but could not be removed. Another node may do this too, or lock one.
 */
export async function removeRetiredDatabases(
  context: Pick<DeployContext, 'db' | 'cells' | 'chargeUsage'> & { log: Log },
): Promise<void> {
  for (const { id, owner_id } of await listRetiredDatabases(context.db)) {
    await removeDatabase(context, owner_id, id).catch((error: unknown) =>
      context.log.warn({ err: error, database: id }, 'a deleted database could not be removed yet'),
    );
  }
}

/** Loads a module in a separate cell. Its output is logged once the function is known. */
async function prove(
  { cells, logs, deployTurns }: DeployContext,
  { userId }: Actor,
  program: () => Promise<CellProgram>,
  functionId: () => number | undefined,
): Promise<Cell> {
  const onLine = (line: string) => {
    const id = functionId();
    if (id !== undefined) logs.line(id, line);
  };
  try {
    return await deployTurns.run(userId, () => cells.pool.prove(userId, program, onLine));
  } catch (error) {
    if (error instanceof PoolFullError) throw noRoom();
    if (error instanceof OwnerShareError) throw shareUsedUp(error.share);
    if (error instanceof StartError) throw notStarted(error);
    if (!(error instanceof LoadError)) throw error;
    const { line = 1, column = 1 } = error;
    throw new AppError('DEPLOY_FAILED', `${error.message} (line ${line}, column ${column})`, {
      body: { line, column },
    });
  }
}

async function databaseFor(tx: Tx, actor: Actor, body: CreateFunction, now: number): Promise<number | null> {
  if (body.enableDatabase) return insertDatabase(tx, actor.userId, now);
  if (body.useDatabase === undefined) return null;
  const source = await lockFunction(tx, body.useDatabase);
  if (source && source.owner_id === actor.userId && source.database_id !== null) return source.database_id;
  throw new AppError(
    'BAD_REQUEST',
    'useDatabase: must be the slug of a function of yours that has a database.',
    {
      details: [
        { path: 'useDatabase', message: 'must be the slug of a function of yours that has a database' },
      ],
    },
  );
}

async function requireRow(db: Db, id: number): Promise<FunctionRow> {
  const row = await findFunctionById(db, id);
  if (!row) throw notFound('This function');
  return row;
}

function noRoom(): AppError {
  return new AppError('UNAVAILABLE', 'All processes for functions are busy. Try again in a moment.', {
    headers: { 'retry-after': '1' },
  });
}

function notStarted(cause: StartError): AppError {
  return new AppError('UNAVAILABLE', "The function's process did not start. Try again in a moment.", {
    headers: { 'retry-after': '1' },
    cause,
  });
}

function shareUsedUp(share: number): AppError {
  return new AppError(
    'UNAVAILABLE',
    `You have ${share} functions running at once, which is the limit for one owner. Deploy again when one of them has finished its calls.`,
    { headers: { 'retry-after': '5' } },
  );
}

function slugTaken(slug: string): AppError {
  return new AppError('SLUG_TAKEN', `The slug ${slug} is taken by another function. Choose another.`);
}
