import { slugParams } from '../../../../contract/functions/functions.ts';
import { ScheduleRun } from '../../../../contract/functions/schedule-run.ts';
import { RunSchedule } from '../../../../contract/functions/schedules.ts';
import { AppError, notFound } from '../../../lib/errors.ts';
import { type Route, route, signedIn } from '../../../platform/http/index.ts';
import { createOwn, requireScope, WRITE } from '../access.ts';
import { assertNotBlocked } from '../administration/block.ts';
import type { FunctionsContext } from '../context.ts';
import { listSchedules, type ScheduleRow } from './store.ts';

export function scheduleRoutes({ db, registry, runNow }: FunctionsContext): Route[] {
  const own = createOwn(db);
  return [
    route({
      method: 'POST',
      path: '/api/functions/:slug/schedules/run',
      operationId: 'runFunctionSchedule',
      access: WRITE,
      summary: "Run a function's schedule now, and see what it printed and threw",
      params: slugParams,
      body: RunSchedule,
      bodyOptional: true,
      response: ScheduleRun,
      async handle({ params, body, actor }) {
        requireScope(signedIn(actor), 'functions:read');
        const called = await own(params.slug, actor);
        assertNotBlocked(called, true);
        const { id } = called;
        const row = choose(await listSchedules(db, id), body?.cron);
        const found = await registry.byId(id);
        if (!found) throw notFound('This function');
        return runNow({ found, ownerId: signedIn(actor).userId, row });
      },
    }),
  ];
}

/** A function without schedules can be run too, for example before it gets one. */
function choose(rows: ScheduleRow[], cron: string | undefined): ScheduleRow | undefined {
  if (cron === undefined) return rows[0];
  const found = rows.find((row) => row.cron === cron);
  if (found) return found;
  const message = 'must be the cron text of one of the schedules of this function';
  throw new AppError('BAD_REQUEST', `cron: ${message}.`, { details: [{ path: 'cron', message }] });
}
