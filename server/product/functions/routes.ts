import {
  CODE_BODY_LIMIT,
  Code,
  CreateFunction,
  Deployed,
  FunctionDetail,
  FunctionList,
  ListQuery,
  LogEntry,
  LogList,
  LogQuery,
  Patched,
  PatchFunction,
  slugParams,
} from '../../../contract/functions/functions.ts';
import { Stats, StatsQuery } from '../../../contract/functions/statistics.ts';
import { limitKey } from '../../lib/addresses.ts';
import { notFound } from '../../lib/errors.ts';
import { type Answer, type Route, route, signedIn } from '../../platform/http/index.ts';
import type { Db } from '../../platform/storage/index.ts';
import { createOwn, READ, WRITE } from './access.ts';
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
    route({
      method: 'GET',
      path: '/api/functions',
      operationId: 'listFunctions',
      access: { kind: 'public to pages' },
      summary: 'List public functions; with mine=true and a token, your own',
      query: ListQuery,
      response: FunctionList,
      async handle({ query: { mine, ...slice }, actor, address }) {
        const { limit, offset } = slice;
        if (mine === 'true' && actor) {
          const { rows, total } = await listOwn(db, actor.userId, slice);
          return { functions: rows.map(toOwnListItem), total, limit, offset };
        }
        const list = (from: Db) => listAnyones(from, slice);
        const { rows, total } = await (slice.q ? storage.search(limitKey(address), list) : list(db));
        return { functions: rows.map(toListItem), total, limit, offset };
      },
    }),
    route({
      method: 'POST',
      path: '/api/functions',
      operationId: 'createFunction',
      failures: ['INVALID_SLUG', 'QUOTA_EXCEEDED', 'SLUG_TAKEN', 'DEPLOY_FAILED'],
      access: WRITE,
      summary: 'Deploy a function',
      body: CreateFunction,
      bodyLimit: CODE_BODY_LIMIT,
      status: 201,
      response: Deployed,
      async handle({ body, actor }) {
        const row = await createFunction(context, signedIn(actor), body);
        if (body.schedules) context.scheduler.wake();
        return { ...toDeployed(row, workerUrl(row)), schedules: await schedulesOf(db, row) };
      },
    }),
    route({
      method: 'GET',
      path: '/api/functions/:slug',
      operationId: 'getFunction',
      access: { kind: 'public to pages' },
      summary: 'Read about a function',
      params: slugParams,
      response: FunctionDetail,
      async handle({ params, actor }) {
        const row = await findFunction(db, params.slug);
        if (!row || (row.is_public !== 1 && row.owner_id !== actor?.userId)) throw notFound('This function');
        const isOwner = row.owner_id === actor?.userId;
        if (!isOwner) assertNotBlocked(row, false);
        return {
          ...toDetail(row, workerUrl(row)),
          ...(isOwner && { schedules: await schedulesOf(db, row) }),
        };
      },
    }),
  ];
}

function changeRoutes(context: FunctionsContext): Route[] {
  const { workerUrl } = context;
  return [
    route({
      method: 'PATCH',
      path: '/api/functions/:slug',
      operationId: 'updateFunction',
      failures: ['CONFLICT', 'QUOTA_EXCEEDED', 'DEPLOY_FAILED'],
      access: WRITE,
      summary: 'Change a function; new code is loaded before it replaces the old code',
      params: slugParams,
      body: PatchFunction,
      bodyLimit: CODE_BODY_LIMIT,
      response: Patched,
      async handle({ params, body, actor }) {
        const row = await patchFunction(context, signedIn(actor), params.slug, body);
        if (body.schedules) context.scheduler.wake();
        return { ...toPatched(row, workerUrl(row)), schedules: await schedulesOf(context.db, row) };
      },
    }),
    route({
      method: 'DELETE',
      path: '/api/functions/:slug',
      operationId: 'deleteFunction',
      access: WRITE,
      summary: 'Remove a function, and its database when no other uses it',
      params: slugParams,
      status: 204,
      handle: ({ params, actor }) => removeFunction(context, signedIn(actor), params.slug),
    }),
  ];
}

async function schedulesOf(db: Db, { id }: { id: number }) {
  return (await listSchedules(db, id)).map(toSchedule);
}

const FOLLOWED: Answer = {
  status: 200,
  description: 'With follow=true, one event for each entry.',
  type: 'text/event-stream',
  events: LogEntry,
};

/** What owners read about their function. */
function insightRoutes(context: FunctionsContext): Route[] {
  const { db, now, logs } = context;
  const own = createOwn(db);
  return [
    route({
      method: 'GET',
      path: '/api/functions/:slug/code',
      operationId: 'getFunctionCode',
      access: READ,
      summary: 'Read the code of a function',
      params: slugParams,
      response: Code,
      async handle({ params, actor }) {
        const { id, code, version } = await own(params.slug, actor);
        return { code, files: await readFiles(db, id, version), version };
      },
    }),
    route({
      method: 'GET',
      path: '/api/functions/:slug/stats',
      operationId: 'getFunctionStats',
      access: READ,
      summary: 'Calls, errors and durations of a function, with percentiles, for a range of time',
      params: slugParams,
      query: StatsQuery,
      response: Stats,
      async handle({ params, query, actor }) {
        const { id } = await own(params.slug, actor);
        await logs.flush();
        return readStats(db, id, query.range, now());
      },
    }),
    route({
      method: 'GET',
      path: '/api/functions/:slug/logs',
      operationId: 'listFunctionLogs',
      answers: [FOLLOWED],
      access: READ,
      summary: 'Read the log of a function: its output and the result of each call; follow=true streams it',
      params: slugParams,
      query: LogQuery,
      response: LogList,
      async handle({ params, query, actor, request, address }) {
        const { id } = await own(params.slug, actor);
        const list = async () => {
          await logs.flush();
          return (await listLogs(db, id, query)).reverse();
        };
        const follower = { signal: request.signal, userId: signedIn(actor).userId, address };
        if (query.follow === 'true') return followLogs(context.streams, logs, id, list, follower);
        return { logs: (await list()).map(toLogEntry) };
      },
    }),
  ];
}
