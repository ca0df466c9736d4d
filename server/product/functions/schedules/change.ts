import type { NewSchedule } from '../../../../contract/functions/schedules.ts';
import { AppError } from '../../../lib/errors.ts';
import { nextMoment } from '../../../lib/formats/cron.ts';
import type { Tx } from '../../../platform/storage/index.ts';
import { assertSchedules } from './cron.ts';
import { deleteSchedules, insertSchedule, listSchedules, plan } from './store.ts';

/** A schedule with its first moment. */
type PlannedSchedule = NewSchedule & { moment: number };

/** Checks schedules, and determines when each runs first. */
export async function planSchedules(schedules: NewSchedule[], now: number): Promise<PlannedSchedule[]> {
  await assertSchedules(schedules, now);
  return Promise.all(
    schedules.map(async (schedule) => ({ ...schedule, moment: await nextMoment(schedule, now) })),
  );
}

/** Replaces the schedules of a function. Those that stay keep their next moment and the result of their last run. */
export async function replaceSchedules(
  tx: Tx,
  owner: { functionId: number; ownerId: number },
  schedules: PlannedSchedule[],
  now: number,
): Promise<void> {
  const current = await listSchedules(tx, owner.functionId);
  const toKey = ({ cron, timezone }: NewSchedule) => `${cron} ${timezone}`;
  const wanted = new Set(schedules.map(toKey));
  await deleteSchedules(
    tx,
    current.filter((row) => !wanted.has(toKey(row))).map(({ id }) => id),
  );
  for (const [position, schedule] of schedules.entries()) {
    const kept = current.find((row) => toKey(row) === toKey(schedule));
    if (kept) await plan(tx, kept.id, { position });
    else {
      await insertSchedule(tx, {
        ...schedule,
        function_id: owner.functionId,
        owner_id: owner.ownerId,
        position,
        planned_at: now,
      });
    }
  }
}

/** New code starts without failures. It must be able to run on the schedules that the function has. */
export async function settleNewCode(
  tx: Tx,
  functionId: number,
  code: { hasScheduled: boolean; now: number },
): Promise<void> {
  const schedules = await listSchedules(tx, functionId);
  if (schedules.length > 0 && !code.hasScheduled) throw notScheduled();
  for (const schedule of schedules) {
    if (schedule.failures === 0) continue;
    const moment = await nextMoment(schedule, code.now);
    await plan(tx, schedule.id, { failures: 0, moment, due_at: moment, planned_at: code.now });
  }
}

export function notScheduled(): AppError {
  return new AppError(
    'DEPLOY_FAILED',
    'The function has schedules, but its default export has no scheduled function. Write: export default { scheduled(controller, env, ctx) { … } }',
    {},
    { body: { line: 1, column: 1 } },
  );
}
