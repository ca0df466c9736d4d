import { fault } from '../../../../contract/errors.ts';
import type { CreateFunction, PatchFunction } from '../../../../contract/functions/functions.ts';
import { AppError, badRequest } from '../../../lib/errors.ts';
import type { Actor } from '../../../platform/http/index.ts';
import type { Tx } from '../../../platform/storage/index.ts';
import { deleteSavedQueries } from '../database/saved-queries/store.ts';
import { findGeneration, insertDatabase, lockDatabase, retireUnusedDatabase } from '../database/store.ts';
import { emptyQueue } from '../jobs/change.ts';
import { lockQueue } from '../jobs/store.ts';
import { requireOwner } from '../model/access.ts';
import { changedSource, storeFiles } from '../model/files.ts';
import { keepNeeded } from '../model/leave-page.ts';
import { assertCodeSize, assertSlug } from '../model/limits.ts';
import {
  deleteFunction,
  findFunction,
  insertFunction,
  lockFunction,
  updateFunction,
} from '../model/store.ts';
import { insertVersion, updateNote } from '../model/version-store.ts';
import { planSchedules, replaceSchedules } from '../schedules/change.ts';
import { listSecretSizes } from '../secrets/store.ts';
import { replaceTriggers } from '../triggers/change.ts';
import { addVersion, assertBase, countVersionBytes, isCurrent, storedBytes } from './add-version.ts';
import type { DeployContext } from './context.ts';
import { type DeployedRow, deployCode, requireRow } from './deploy-code.ts';
import { keepBefore, type RemovedFunction } from './keep-before.ts';
import { planPage } from './plan-page.ts';
import { planRuns } from './plan-runs.ts';
import { removeDatabase } from './remove-databases.ts';
import { loadCurrent } from './test-load.ts';

/** Deploys a new function: the module is really loaded before anything is stored. */
export async function createFunction(
  context: DeployContext,
  actor: Actor,
  body: CreateFunction,
): Promise<DeployedRow> {
  const { db, chargeUsage } = context;
  assertSlug(body.slug);
  assertCodeSize(body.code, body.files);
  if (body.enableDatabase && body.useDatabase !== undefined) {
    throw badRequest([fault('useDatabase', 'excludes enableDatabase: give one of them')]);
  }
  const known = await findFunction(db, body.slug);
  if (known) throw slugTaken(body.slug, known.owner_id === actor.userId);
  const schedules = await planSchedules(body.schedules ?? [], context.now());
  const { on = [] } = body;
  const page = await planPage(context, actor, body);
  const shared = body.useDatabase === undefined ? undefined : await findFunction(db, body.useDatabase);
  // Somebody else's database is refused later, like one that does not exist.
  const database_id = shared?.owner_id === actor.userId ? shared.database_id : null;
  await keepBefore(context, actor, { page_id: page.pageId, slug: body.slug, database_id }, 'deploy');
  return deployCode(context, actor, {
    before: undefined,
    source: { code: body.code, files: storeFiles(body.files) },
    database: body,
    async store(tx, content, databaseId) {
      const now = context.now();
      const size = countVersionBytes(content);
      const joined = await page.join(tx);
      await chargeUsage(tx, actor.userId, { functions: 1, bytes: size });
      const id = await insertFunction(tx, {
        ...joined,
        owner_id: actor.userId,
        slug: body.slug,
        display_name: body.displayName,
        description: body.description,
        code: body.code,
        is_public: body.isPublic ? 1 : 0,
        ai_daily_credits: body.aiDailyLimit,
        database_id: databaseId ?? (await databaseFor(tx, actor, body, now)),
        created_at: now,
        updated_at: now,
      });
      if (id === undefined) throw slugTaken(body.slug, false);
      const note = body.note || null;
      await insertVersion(tx, { function_id: id, version: 1, ...content, size, created_at: now, note });
      await replaceSchedules(tx, { functionId: id, ownerId: actor.userId }, schedules, now);
      await replaceTriggers(context, tx, { functionId: id, pageId: page.pageId }, on);
      return { id, version: 1 };
    },
  });
}

/** Changes a function. New code is tested first, and the old version serves until the new one does. */
export async function patchFunction(
  context: DeployContext,
  actor: Actor,
  slug: string,
  { code, files, baseVersion, note, ...patch }: PatchFunction,
): Promise<DeployedRow> {
  const { db, registry } = context;
  const before = requireOwner(await findFunction(db, slug), actor);
  assertBase(before, baseVersion);
  const settings = {
    ...(patch.displayName !== undefined && { display_name: patch.displayName }),
    ...(patch.description !== undefined && { description: patch.description }),
    ...(patch.isPublic !== undefined && { is_public: patch.isPublic ? 1 : 0 }),
    ...(patch.aiDailyLimit !== undefined && { ai_daily_credits: patch.aiDailyLimit }),
  };
  const runs = await planRuns(context, before, patch);
  const source = await changedSource(db, before, { code, files });
  if (source && !(await isCurrent(db, before, source))) {
    await keepBefore(context, actor, before, 'deploy');
    return deployCode(context, actor, {
      before,
      source,
      async store(tx, content) {
        await runs.lockPage(tx);
        const row = requireOwner(await lockFunction(tx, slug), actor);
        assertBase(row, baseVersion);
        // Someone else may have deployed the same code meanwhile.
        const isDone = await isCurrent(tx, row, content);
        const version = isDone
          ? row.version
          : await addVersion(context, tx, { ...row, owner_id: actor.userId }, content);
        if (note !== undefined) await updateNote(tx, row.id, version, note);
        const changes = { ...settings, code: content.code, version, updated_at: context.now() };
        await updateFunction(tx, row.id, changes);
        await runs.store(tx, row);
        return { id: row.id, version };
      },
    });
  }
  const generation = await findGeneration(db, before.database_id);
  await runs.assertTaken(() => loadCurrent(context, actor, registry.toEntry({ ...before, generation })));
  await db.transaction().execute(async (tx) => {
    await runs.lockPage(tx);
    const row = requireOwner(await lockFunction(tx, slug), actor);
    assertBase(row, baseVersion);
    await updateFunction(tx, row.id, { ...settings, updated_at: context.now() });
    if (note !== undefined) await updateNote(tx, row.id, row.version, note);
    await runs.store(tx, row);
  });
  registry.drop(before.id);
  if (before.page_id !== null) context.moments.noteChange(before.page_id);
  return requireRow(db, before.id);
}

/** Removes a function, and its database if no other function uses it. */
export async function removeFunction(context: DeployContext, actor: Actor, slug: string): Promise<void> {
  const before = requireOwner(await findFunction(context.db, slug), actor);
  await keepBefore(context, actor, before, 'delete');
  await emptyQueue(context, before.id);
  await removeAdmitted(
    context,
    slug,
    (row) => void requireOwner(row, actor),
    async (tx, row) => {
      if (row.page_id !== null) await keepNeeded(context, tx, row.page_id, row);
    },
  );
  if (before.page_id !== null) context.moments.noteChange(before.page_id);
}

/** Removes a function, unless `admit` throws for the function as it is then. */
export async function removeAdmitted(
  context: Pick<DeployContext, 'db' | 'now' | 'registry' | 'chargeUsage' | 'databases'>,
  slug: string,
  admit: (row: Awaited<ReturnType<typeof lockFunction>>) => void,
  onRemove?: (tx: Tx, row: RemovedFunction) => Promise<void>,
): Promise<void> {
  const { db, registry } = context;
  const removed = await db.transaction().execute(async (tx) => {
    const row = await lockFunction(tx, slug);
    admit(row);
    if (!row || row.owner_id === null) return undefined;
    if (row.database_id !== null) await lockDatabase(tx, row.database_id);
    const secrets = await listSecretSizes(tx, row.id);
    const bytes = secrets.reduce(
      (sum, { name, size }) => sum + name.length + size,
      await storedBytes(tx, row),
    );
    const { bytes: jobBytes = 0 } = (await lockQueue(tx, row.id)) ?? {};
    await onRemove?.(tx, row);
    await deleteFunction(tx, row.id);
    const retired = await retireOwnDatabase(tx, row, context.now());
    await context.chargeUsage(tx, row.owner_id, { functions: -1, bytes: -bytes - jobBytes - retired.bytes });
    return { id: row.id, ownerId: row.owner_id, databaseId: retired.id };
  });
  if (!removed) return;
  registry.remove(removed.id);
  if (removed.databaseId !== null) await removeDatabase(context, removed.ownerId, removed.databaseId);
}

/** Marks the database of a removed function for removal if no other uses it, and deletes its saved queries. */
async function retireOwnDatabase(
  tx: Tx,
  { database_id: id }: { database_id: number | null },
  now: number,
): Promise<{ id: number | null; bytes: number }> {
  if (id === null || !(await retireUnusedDatabase(tx, id, now))) return { id: null, bytes: 0 };
  return { id, bytes: await deleteSavedQueries(tx, id) };
}

async function databaseFor(tx: Tx, actor: Actor, body: CreateFunction, now: number): Promise<number | null> {
  if (body.enableDatabase) return insertDatabase(tx, actor.userId, now);
  if (body.useDatabase === undefined) return null;
  const source = await lockFunction(tx, body.useDatabase);
  if (source && source.owner_id === actor.userId && source.database_id !== null) return source.database_id;
  throw badRequest([fault('useDatabase', 'must be the slug of a function of yours that has a database')]);
}

function slugTaken(slug: string, isOwn: boolean): AppError {
  return new AppError(
    'SLUG_TAKEN',
    isOwn
      ? 'The slug {slug} is taken by one of your functions. Update it with PATCH /api/functions/{slug}.'
      : 'The slug {slug} is taken by another function. Choose another.',
    { slug },
  );
}
