import { nextMoment } from '../../../lib/formats/cron.ts';
import { SET_BACK_MS } from '../../../lib/loops/due-loop.ts';
import type { Db } from '../../../platform/storage/index.ts';
import type { FunctionLogs } from '../logs/logs.ts';
import { endRun, listLost, listPlannedAfter, plan } from './store.ts';

const LOST = 'The server that ran it was lost during the run. The run is not repeated.';

interface RepairContext {
  db: Db;
  now: () => number;
  logs: FunctionLogs;
}

/** Ends the runs whose node was lost. One node does it for each. */
export async function endLostRuns({ db, now, logs }: RepairContext): Promise<void> {
  for (const row of await listLost(db, now())) {
    const lost = { last_result: 'interrupted', last_duration_ms: null, last_error: LOST } as const;
    const isEnded = await endRun(db, { id: row.id, moment: row.last_moment ?? 0 }, lost);
    if (isEnded) logs.system(row.function_id, `A scheduled run (${row.cron}) was interrupted. ${LOST}`);
  }
}

/** Plans schedules again that were planned by a clock far ahead of this one. They would not run for a long time. */
export async function planAnew({ db, now }: RepairContext): Promise<void> {
  const at = now();
  for (const row of await listPlannedAfter(db, at + SET_BACK_MS)) {
    const moment = await nextMoment(row, at);
    const isRunning = row.running_until !== null;
    await plan(db, row.id, {
      ...{ moment, due_at: moment, planned_at: at, running_until: null },
      ...(isRunning && { last_result: 'interrupted', last_error: LOST }),
    });
  }
}
