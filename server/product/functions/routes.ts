import { functionEndpoints } from '../../../contract/functions/endpoints.ts';
import { toCredits } from '../../../contract/rules/credit-amounts.ts';
import { limitKey } from '../../lib/addresses.ts';
import { notFound } from '../../lib/errors.ts';
import { makeSeal, type ServiceKey } from '../../lib/secrets.ts';
import { type Actor, type EventStreams, handle, type Route } from '../../platform/http/index.ts';
import type { Db, Storage } from '../../platform/storage/index.ts';
import type { BranchAccess } from './calls/gate/branch-access.ts';
import { type CallsContext, callRoutes } from './calls/routes.ts';
import { databaseRoutes } from './database/routes.ts';
import { savedQueryRoutes } from './database/saved-queries/routes.ts';
import type { DeployContext } from './deploy/context.ts';
import { createFunction, patchFunction, removeFunction } from './deploy/deploy.ts';
import { versionRoutes } from './deploy/version-routes.ts';
import { type JobContext, jobRoutes } from './jobs/routes.ts';
import type { CallTabContext } from './live/call-tab.ts';
import { liveCallRoutes } from './live/routes.ts';
import { followLogs } from './logs/follow.ts';
import { readStats } from './logs/stats-report.ts';
import { listLogs } from './logs/store.ts';
import { toLogEntry } from './logs/wire.ts';
import { createOwn } from './model/access.ts';
import { readAiUse } from './model/ai-use.ts';
import { assertNotBlocked } from './model/block.ts';
import { readFiles } from './model/files.ts';
import { type FunctionRow, findFunction, listAnyones, listOwn } from './model/store.ts';
import { toDeployed, toDetail, toListItem, toOwnListItem, toPage, toPatched } from './model/wire.ts';
import { type ScheduleContext, scheduleRoutes } from './schedules/routes.ts';
import type { Scheduler } from './schedules/scheduler.ts';
import { listSchedules } from './schedules/store.ts';
import { toSchedule } from './schedules/wire.ts';
import type { SecretsContext } from './secrets/change.ts';
import { secretRoutes } from './secrets/routes.ts';
import { listTriggers, type TriggerRow } from './triggers/store.ts';
import { toNewTrigger, toTrigger } from './triggers/wire.ts';

interface FunctionsContext
  extends DeployContext,
    CallsContext,
    ScheduleContext,
    JobContext,
    CallTabContext,
    Omit<SecretsContext, 'registry'> {
  storage: Pick<Storage, 'search'>;
  streams: EventStreams;
  scheduler: Scheduler;
  branchAccess: BranchAccess;
  key: ServiceKey;
}

export function functionRoutes(context: FunctionsContext): Route[] {
  return [
    ...catalogRoutes(context),
    ...callRoutes(context),
    ...liveCallRoutes(context),
    ...changeRoutes(context),
    ...insightRoutes(context),
    ...versionRoutes(context),
    ...secretRoutes(context),
    ...scheduleRoutes(context),
    ...jobRoutes(context),
    ...databaseRoutes(context),
    ...savedQueryRoutes(context),
  ];
}

function catalogRoutes(context: FunctionsContext): Route[] {
  const { db, storage, pages, workerUrl, branchAccess } = context;
  return [
    handle(functionEndpoints.listFunctions, async ({ query, actor, address }) => {
      const { limit, offset } = query;
      if (query.mine === 'true' && actor) {
        const { rows, total } = await listOwn(db, actor.userId, query);
        const ids = rows.flatMap(({ page_id }) => page_id ?? []);
        const names = await pages.describe(db, ids, actor);
        const functions = rows.map((row) => ({ ...toOwnListItem(row), page: toPage(row, names) }));
        return { functions, total, limit, offset };
      }
      const list = (from: Db) => listAnyones(from, query);
      const { rows, total } = await (query.q ? storage.search(limitKey(address), list) : list(db));
      return { functions: rows.map(toListItem), total, limit, offset };
    }),
    handle(functionEndpoints.createFunction, async ({ body, actor }) => {
      const row = await createFunction(context, actor, body);
      if (body.schedules) context.scheduler.wake();
      return {
        ...toDeployed(row, workerUrl(row)),
        schedules: await readSchedules(db, row),
        on: await readTriggers(context, row, actor),
      };
    }),
    handle(functionEndpoints.getFunction, async ({ params, actor, caller }) => {
      const row = await findFunction(db, params.slug);
      const isOwner = actor !== undefined && row?.owner_id === actor.userId;
      if (!row || !(isOwner || (row.is_public === 1 && (await branchAccess.shows(toShown(row), caller)))))
        throw notFound('This function was not found.');
      if (!isOwner) assertNotBlocked(row, false);
      return {
        ...toDetail(row, workerUrl(row)),
        ...(isOwner && {
          ...(await readOwnFields(context, row, actor)),
          page: toPage(row, await pages.describe(db, row.page_id === null ? [] : [row.page_id], actor)),
        }),
      };
    }),
  ];
}

const toShown = ({ slug, branch_slug, page_id }: FunctionRow) => ({
  slug,
  branchSlug: branch_slug,
  pageId: page_id,
});

function changeRoutes(context: FunctionsContext): Route[] {
  const { workerUrl } = context;
  return [
    handle(functionEndpoints.updateFunction, async ({ params, body, actor }) => {
      const row = await patchFunction(context, actor, params.slug, body);
      if (body.schedules) context.scheduler.wake();
      return { ...toPatched(row, workerUrl(row)), ...(await readOwnFields(context, row, actor)) };
    }),
    handle(functionEndpoints.deleteFunction, ({ params, actor }) =>
      removeFunction(context, actor, params.slug),
    ),
  ];
}

/** What only the owner of a function sees. */
async function readOwnFields(context: FunctionsContext, row: { id: number }, actor: Actor) {
  const { db, now } = context;
  const { limit, usedTokens } = await readAiUse(db, row.id, now());
  return {
    schedules: await readSchedules(db, row),
    on: await readTriggers(context, row, actor),
    aiDailyLimit: limit,
    aiUsedToday: toCredits(usedTokens),
  };
}

async function readSchedules(db: Db, { id }: { id: number }) {
  return (await listSchedules(db, id)).map(toSchedule);
}

/** Only who can change a function sees what signs its deliveries. */
async function readTriggers({ db, sealer }: FunctionsContext, { id }: { id: number }, { scopes }: Actor) {
  const toWire = scopes.includes('functions:write')
    ? (row: TriggerRow) => toTrigger(row, sealer)
    : toNewTrigger;
  return (await listTriggers(db, id)).map(toWire);
}

/** Routes that owners read about their functions with. */
function insightRoutes(context: FunctionsContext): Route[] {
  const { db, now, logs, key } = context;
  const own = createOwn(db);
  return [
    handle(functionEndpoints.getFunctionCode, async ({ params, actor }) => {
      const { id, code, version } = await own(params.slug, actor);
      return {
        code,
        files: await readFiles(db, id, version),
        version,
        folderSeal: makeSeal(key, 'function-folder', id),
      };
    }),
    handle(functionEndpoints.getFunctionStats, async ({ params, query, actor }) => {
      const { id } = await own(params.slug, actor);
      await logs.flush();
      return readStats(db, id, query.range, now());
    }),
    handle(functionEndpoints.listFunctionLogs, async ({ params, query, actor, request, address }) => {
      const { id } = await own(params.slug, actor);
      const list = async () => {
        await logs.flush();
        return (await listLogs(db, id, query)).reverse();
      };
      const follower = { signal: request.signal, userId: actor.userId, address };
      if (query.follow === 'true') return followLogs(context.streams, logs, id, list, follower);
      return { logs: (await list()).map(toLogEntry) };
    }),
  ];
}
