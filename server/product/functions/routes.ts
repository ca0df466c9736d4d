import { functionEndpoints } from '../../../contract/functions/endpoints.ts';
import { limitKey } from '../../lib/addresses.ts';
import { notFound } from '../../lib/errors.ts';
import { handle, type Route } from '../../platform/http/index.ts';
import type { Db } from '../../platform/storage/index.ts';
import { createOwn } from './access.ts';
import { assertNotBlocked } from './administration/block.ts';
import { readFiles } from './bundle/files.ts';
import { callRoute, testRoute, ticketRoute } from './calls/routes.ts';
import type { FunctionsContext } from './context.ts';
import { databaseRoutes } from './database/routes.ts';
import { createFunction, patchFunction, removeFunction } from './deploy.ts';
import { followLogs } from './logs/follow.ts';
import { readStats } from './logs/stats-report.ts';
import { listLogs } from './logs/store.ts';
import { savedQueryRoutes } from './saved-queries/routes.ts';
import { scheduleRoutes } from './schedules/routes.ts';
import { listSchedules } from './schedules/store.ts';
import { toSchedule } from './schedules/wire.ts';
import { secretRoutes } from './secrets/routes.ts';
import { findFunction, listAnyones, listOwn } from './store.ts';
import { versionRoutes } from './versions/routes.ts';
import { toDeployed, toDetail, toListItem, toLogEntry, toOwnListItem, toPatched } from './wire.ts';

export function functionRoutes(context: FunctionsContext): Route[] {
  return [
    ...catalogRoutes(context),
    callRoute(context),
    ticketRoute(context),
    testRoute(context),
    ...changeRoutes(context),
    ...insightRoutes(context),
    ...versionRoutes(context),
    ...secretRoutes(context),
    ...scheduleRoutes(context),
    ...databaseRoutes(context),
    ...savedQueryRoutes(context),
  ];
}

function catalogRoutes(context: FunctionsContext): Route[] {
  const { db, storage, workerUrl } = context;
  return [
    handle(functionEndpoints.listFunctions, async ({ query: { mine, ...slice }, actor, address }) => {
      const { limit, offset } = slice;
      if (mine === 'true' && actor) {
        const { rows, total } = await listOwn(db, actor.userId, slice);
        return { functions: rows.map(toOwnListItem), total, limit, offset };
      }
      const list = (from: Db) => listAnyones(from, slice);
      const { rows, total } = await (slice.q ? storage.search(limitKey(address), list) : list(db));
      return { functions: rows.map(toListItem), total, limit, offset };
    }),
    handle(functionEndpoints.createFunction, async ({ body, actor }) => {
      const row = await createFunction(context, actor, body);
      if (body.schedules) context.scheduler.wake();
      return { ...toDeployed(row, workerUrl(row)), schedules: await schedulesOf(db, row) };
    }),
    handle(functionEndpoints.getFunction, async ({ params, actor }) => {
      const row = await findFunction(db, params.slug);
      if (!row || (row.is_public !== 1 && row.owner_id !== actor?.userId)) throw notFound('This function');
      const isOwner = row.owner_id === actor?.userId;
      if (!isOwner) assertNotBlocked(row, false);
      return {
        ...toDetail(row, workerUrl(row)),
        ...(isOwner && { schedules: await schedulesOf(db, row) }),
      };
    }),
  ];
}

function changeRoutes(context: FunctionsContext): Route[] {
  const { workerUrl } = context;
  return [
    handle(functionEndpoints.updateFunction, async ({ params, body, actor }) => {
      const row = await patchFunction(context, actor, params.slug, body);
      if (body.schedules) context.scheduler.wake();
      return { ...toPatched(row, workerUrl(row)), schedules: await schedulesOf(context.db, row) };
    }),
    handle(functionEndpoints.deleteFunction, ({ params, actor }) =>
      removeFunction(context, actor, params.slug),
    ),
  ];
}

async function schedulesOf(db: Db, { id }: { id: number }) {
  return (await listSchedules(db, id)).map(toSchedule);
}

/** What owners read about their function. */
function insightRoutes(context: FunctionsContext): Route[] {
  const { db, now, logs } = context;
  const own = createOwn(db);
  return [
    handle(functionEndpoints.getFunctionCode, async ({ params, actor }) => {
      const { id, code, version } = await own(params.slug, actor);
      return { code, files: await readFiles(db, id, version), version };
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
