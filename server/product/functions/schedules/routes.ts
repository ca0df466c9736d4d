import { fault } from '../../../../contract/errors.ts';
import { functionEndpoints } from '../../../../contract/functions/endpoints.ts';
import { badRequest, notFound } from '../../../lib/errors.ts';
import { handle, type Route } from '../../../platform/http/index.ts';
import type { Db } from '../../../platform/storage/index.ts';
import type { Registry } from '../calls/registry.ts';
import { createOwn, requireScope } from '../model/access.ts';
import { assertNotBlocked } from '../model/block.ts';
import type { RunNow } from './run-now.ts';
import { listSchedules, type ScheduleRow } from './store.ts';

export interface ScheduleContext {
  db: Db;
  registry: Registry;
  /** Runs a schedule because its owner asks for it. */
  runNow: RunNow;
}

export function scheduleRoutes({ db, registry, runNow }: ScheduleContext): Route[] {
  const own = createOwn(db);
  return [
    handle(functionEndpoints.runFunctionSchedule, async ({ params, body, actor }) => {
      requireScope(actor, 'functions:read');
      const called = await own(params.slug, actor);
      assertNotBlocked(called, true);
      const { id } = called;
      const row = choose(await listSchedules(db, id), body?.cron);
      const found = await registry.byId(id);
      if (!found) throw notFound('This function was not found.');
      return runNow({ found, ownerId: actor.userId, row });
    }),
  ];
}

/** A function without schedules can be run too, for example before it gets one. */
function choose(rows: ScheduleRow[], cron: string | undefined): ScheduleRow | undefined {
  if (cron === undefined) return rows[0];
  const found = rows.find((row) => row.cron === cron);
  if (found) return found;
  throw badRequest([fault('cron', 'must be the cron text of one of the schedules of this function')]);
}
