import { setTimeout as sleep } from 'node:timers/promises';
import { MAX_PAGE_FUNCTIONS } from '../../../../contract/rules/limits.ts';
import { phrase, type Text } from '../../../../contract/rules/texts/fill.ts';
import type { Db, PageRow, Tx } from '../../../platform/storage/index.ts';
import type { Cells } from '../../../runtime/cells/index.ts';
import type { Databases } from '../../../runtime/databases/index.ts';
import type { FunctionHistory, FunctionState, RestoredFunctions } from '../../moment-ports.ts';
import type { ChargeUsage, MomentKeeper } from '../../ports.ts';
import type { Registry } from '../calls/registry.ts';
import {
  findDatabase,
  insertDatabase,
  listPagesWithDatabases,
  listUserIds,
  raiseGeneration,
} from '../database/store.ts';
import {
  addVersion,
  countVersionBytes,
  toCurrentVersion,
  type VersionContent,
} from '../deploy/add-version.ts';
import { carryTakedown } from '../model/block.ts';
import { leaveWithMoments } from '../model/leave-page.ts';
import { joinPage, listOfPage } from '../model/page-store.ts';
import {
  deleteRemoved,
  findRemoved,
  listRemoved,
  type RemovedRow,
  sumRemovedBytes,
} from '../model/removed-store.ts';
import {
  type FunctionRow,
  findFunction,
  findFunctionById,
  insertFunction,
  lockFunction,
  updateFunction,
} from '../model/store.ts';
import { noteTriggered } from '../model/triggered.ts';
import { findVersion, insertVersion } from '../model/version-store.ts';
import { planSchedules, replaceSchedules } from '../schedules/change.ts';
import { listSchedules } from '../schedules/store.ts';
import { replaceTriggers, type TriggersContext } from '../triggers/change.ts';
import { listTriggers } from '../triggers/store.ts';
import { toNewTrigger } from '../triggers/wire.ts';

/** How long a restore waits for calls that have begun. */
const DRAIN_MS = 10_000;
const LOOK_MS = 50;

interface FunctionHistoryContext extends TriggersContext {
  db: Db;
  now: () => number;
  cells: Pick<Cells, 'pool'>;
  databases: Pick<Databases, 'fence'>;
  registry: Registry;
  /** Starts the work of functions that was waiting. */
  wake(): void;
  chargeUsage: ChargeUsage;
  moments: Pick<MomentKeeper, 'listNeededVersions'>;
}

/** The functions of pages at a time, for moments. */
export function createFunctionHistory(context: FunctionHistoryContext): FunctionHistory {
  const { registry, wake, cells } = context;
  return {
    read: readStates,
    restore: (tx, page, states, { charge = context.chargeUsage } = {}) =>
      restoreFunctions({ ...context, chargeUsage: charge }, tx, page, states),
    async drain(ids) {
      const wanted = new Set(ids);
      const isBusy = () => cells.pool.usage().some(({ id, inFlight }) => wanted.has(id) && inFlight > 0);
      for (let waited = 0; waited < DRAIN_MS && isBusy(); waited += LOOK_MS) await sleep(LOOK_MS);
    },
    async fence(databaseIds) {
      for (const databaseId of databaseIds) {
        const raised = await raiseGeneration(context.db, databaseId, context.now());
        if (!raised) continue;
        for (const id of await listUserIds(context.db, databaseId)) registry.drop(id);
        await context.databases.fence(raised.owner_id, databaseId, raised.generation);
      }
    },
    async listUsers(databaseIds) {
      return (await listPagesWithDatabases(context.db, databaseIds)).filter((id) => id !== null);
    },
    changed(ids) {
      for (const id of ids) registry.drop(id);
      if (ids.length > 0) wake();
    },
    bytes: sumRemovedBytes,
    async forget(db, pageId, needed) {
      const kept = new Set(needed.map(({ id, version }) => `${id} ${version}`));
      for (const row of await listRemoved(db, pageId))
        if (!kept.has(`${row.function_id} ${row.version}`)) await deleteRemoved(db, pageId, row);
    },
  };
}

async function readStates(db: Db, page: Pick<PageRow, 'id' | 'owner_id'>): Promise<FunctionState[]> {
  const states: FunctionState[] = [];
  for (const { id } of await listOfPage(db, page)) {
    const row = await findFunctionById(db, id);
    if (!row) continue;
    const schedules = await listSchedules(db, id);
    const triggers = await listTriggers(db, id);
    states.push({
      id,
      slug: row.slug,
      version: row.version,
      name: row.display_name,
      description: row.description,
      schedules: schedules.map(({ cron, timezone }) => ({ cron, timezone })),
      on: triggers.map(toNewTrigger),
      database: row.database_id,
      ...(row.branch_slug !== null && { branchSlug: row.branch_slug }),
    });
  }
  return states;
}

async function restoreFunctions(
  context: FunctionHistoryContext,
  tx: Tx,
  page: PageRow,
  states: readonly FunctionState[],
): Promise<RestoredFunctions> {
  const restored: RestoredFunctions = {
    functions: [],
    madeAgain: [],
    notRestored: [],
    databases: new Map(),
    changed: [],
  };
  const kept = new Set<number>();
  for (const state of states.slice(0, MAX_PAGE_FUNCTIONS)) {
    const row = (await findFunctionById(tx, state.id)) ?? (await findFunction(tx, state.slug));
    const id = row
      ? await restoreOne(context, tx, { page, state, row }, restored)
      : await makeAgain(context, tx, { page, state }, restored);
    if (id !== undefined) kept.add(id);
  }
  const left = (await listOfPage(tx, page)).filter(({ id }) => !kept.has(id));
  await leaveWithMoments(context, tx, page.id, left);
  restored.changed.push(...kept, ...left.map(({ id }) => id));
  return restored;
}

interface Target {
  page: PageRow;
  state: FunctionState;
}

/** Brings back the code, name and schedules of a function that exists. */
async function restoreOne(
  context: FunctionHistoryContext,
  tx: Tx,
  { page, state, row: found }: Target & { row: FunctionRow },
  restored: RestoredFunctions,
): Promise<number | undefined> {
  const { slug } = found;
  const refuse = (reason: Text) => void restored.notRestored.push({ slug: state.slug, reason });
  const row = await lockFunction(tx, slug);
  if (row?.owner_id !== page.owner_id)
    return refuse(phrase('Somebody else has a function with this slug now.'));
  if (row.page_id !== null && row.page_id !== page.id)
    return refuse(phrase('It belongs to another page now.'));
  if (row.page_id === null && row.branch_slug === null && page.branch_of !== null)
    return refuse(phrase('A function with this slug that may serve others belongs to no branch.'));
  if (row.page_id === null) await joinPage(tx, page, [row.id]);
  if (state.database !== null && row.database_id !== null)
    restored.databases.set(state.database, row.database_id);
  const changes = { display_name: state.name, description: state.description, updated_at: context.now() };
  const isCurrent = row.id === state.id && row.version === state.version;
  const content = isCurrent ? undefined : await findContent(tx, page, state, row.id);
  if (!isCurrent && !content)
    refuse(phrase('Its version {version} is no longer kept.', { version: String(state.version) }));
  const current = (await findVersion(tx, row.id, row.version)) ?? toCurrentVersion(row);
  if (content && !isSame(content, current)) {
    const version = await addVersion(context, tx, { ...row, owner_id: page.owner_id }, content);
    await updateFunction(tx, row.id, { ...changes, code: content.code, version });
    restored.functions.push({ slug, version });
  } else if (row.display_name !== state.name || row.description !== state.description) {
    await updateFunction(tx, row.id, changes);
  }
  await setRuns(context, tx, page, row.id, state);
  return row.id;
}

/** Makes a function again that was deleted. Its secrets are gone. */
async function makeAgain(
  context: FunctionHistoryContext,
  tx: Tx,
  { page, state }: Target,
  restored: RestoredFunctions,
): Promise<number | undefined> {
  const { chargeUsage, now } = context;
  const content = await findRemoved(tx, page.id, state);
  if (!content) {
    restored.notRestored.push({
      slug: state.slug,
      reason: phrase('It was deleted, and its code is no longer kept.'),
    });
    return undefined;
  }
  const size = countVersionBytes(content);
  await chargeUsage(tx, page.owner_id, { functions: 1, bytes: size });
  const created_at = now();
  const id = await insertFunction(tx, {
    owner_id: page.owner_id,
    slug: state.slug,
    display_name: state.name,
    description: state.description,
    code: content.code,
    is_public: content.is_public,
    ...carryTakedown(content),
    branch_slug: state.branchSlug ?? null,
    database_id: await chooseDatabase(tx, page.owner_id, state, restored, created_at),
    created_at,
    updated_at: created_at,
  });
  if (id === undefined) throw new Error('the slug of a deleted function was taken in this transaction');
  await insertVersion(tx, {
    function_id: id,
    version: 1,
    ...toContent(content),
    size,
    created_at,
    note: null,
  });
  await joinPage(tx, page, [id]);
  await setRuns(context, tx, page, id, state);
  restored.madeAgain.push(state.slug);
  restored.functions.push({ slug: state.slug, version: 1 });
  return id;
}

/** The database that a function had, if it still exists or was made again for another one, or a new one. */
async function chooseDatabase(
  tx: Tx,
  ownerId: number,
  { database }: FunctionState,
  restored: RestoredFunctions,
  now: number,
): Promise<number | null> {
  if (database === null) return null;
  const made = restored.databases.get(database);
  if (made !== undefined) return made;
  const isThere = await findDatabase(tx, ownerId, database);
  const id = isThere ? database : await insertDatabase(tx, ownerId, now);
  restored.databases.set(database, id);
  return id;
}

async function setRuns(
  context: FunctionHistoryContext,
  tx: Tx,
  page: PageRow,
  functionId: number,
  { schedules, on }: FunctionState,
): Promise<void> {
  const { now, pages } = context;
  const planned = await planSchedules(schedules, now());
  await replaceSchedules(tx, { functionId, ownerId: page.owner_id }, planned, now());
  if (on) await replaceTriggers(context, tx, { functionId, pageId: page.id }, on);
  else await noteTriggered(pages, tx, page.id);
}

/** The code of a version: of the function, or of the one that had its slug before and was deleted. */
async function findContent(
  tx: Tx,
  page: PageRow,
  state: FunctionState,
  id: number,
): Promise<VersionContent | undefined> {
  const found = id === state.id ? await findVersion(tx, id, state.version) : undefined;
  const content = found ?? (await findRemoved(tx, page.id, state));
  return content && toContent(content);
}

const toContent = ({ code, files, bundle, source_map }: VersionContent | RemovedRow): VersionContent => ({
  code,
  files,
  bundle,
  source_map,
});

const isSame = (a: VersionContent, b: VersionContent) =>
  a.code === b.code && a.files === b.files && a.bundle === b.bundle;
