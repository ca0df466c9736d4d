import type { Selectable } from 'kysely';
import type { NewSchedule } from '../../../../contract/functions/schedules.ts';
import { countRows, type Db, type Tables, type Tx } from '../../../platform/storage/index.ts';

/** SQL for schedules. */

export type ScheduleRow = Selectable<Tables['function_schedules']>;

/** A moment of a schedule that a node runs. */
type Claimed = Pick<ScheduleRow, 'id' | 'moment'>;

export function listSchedules(db: Db, functionId: number): Promise<ScheduleRow[]> {
  return db
    .selectFrom('function_schedules')
    .selectAll()
    .where('function_id', '=', functionId)
    .orderBy('position')
    .execute();
}

export async function deleteSchedules(tx: Tx, ids: number[]): Promise<void> {
  if (ids.length > 0) await tx.deleteFrom('function_schedules').where('id', 'in', ids).execute();
}

export async function insertSchedule(
  tx: Tx,
  schedule: NewSchedule &
    Pick<ScheduleRow, 'function_id' | 'owner_id' | 'position' | 'moment' | 'planned_at'>,
): Promise<void> {
  await tx
    .insertInto('function_schedules')
    .values({ ...schedule, due_at: schedule.moment, failures: 0 })
    .execute();
}

/** Schedules of functions that can be called. Those of branches are paused. */
const runnable = (db: Db) =>
  db
    .selectFrom('function_schedules')
    .innerJoin('functions', 'functions.id', 'function_schedules.function_id')
    .where('functions.taken_down_at', 'is', null)
    .where('functions.owner_blocked_at', 'is', null)
    .where('functions.branch_slug', 'is', null);

/** The schedules that wait for a run, the longest waiting first. Those of some owners are left out. */
export function listDue(
  db: Db,
  { now, exceptOwners, limit }: { now: number; exceptOwners: number[]; limit: number },
): Promise<ScheduleRow[]> {
  return runnable(db)
    .selectAll('function_schedules')
    .where('due_at', '<=', now)
    .where('running_until', 'is', null)
    .$if(exceptOwners.length > 0, (query) =>
      query.where('function_schedules.owner_id', 'not in', exceptOwners),
    )
    .orderBy('due_at')
    .limit(limit)
    .execute();
}

export function countDueBefore(db: Db, time: number): Promise<number> {
  return countRows(runnable(db).where('due_at', '<', time).where('running_until', 'is', null));
}

/** When the next schedule is due, apart from those of some owners. */
export async function findNextDue(db: Db, exceptOwners: number[]): Promise<number | undefined> {
  const row = await runnable(db)
    .select('due_at')
    .where('running_until', 'is', null)
    .$if(exceptOwners.length > 0, (query) =>
      query.where('function_schedules.owner_id', 'not in', exceptOwners),
    )
    .orderBy('due_at')
    .limit(1)
    .executeTakeFirst();
  return row?.due_at;
}

/** Claims a moment for this node. False if another node was faster, or the schedule has changed. */
export async function claim(
  db: Db,
  { id, moment, due_at }: Pick<ScheduleRow, 'id' | 'moment' | 'due_at'>,
  run: { now: number; next: number; until: number },
): Promise<boolean> {
  const claimed = await db
    .updateTable('function_schedules')
    .set({
      moment: run.next,
      due_at: run.next,
      planned_at: run.now,
      running_until: run.until,
      last_moment: moment,
      last_started_at: run.now,
      last_result: 'running',
      last_duration_ms: null,
      last_error: null,
    })
    .where('id', '=', id)
    .where('moment', '=', moment)
    .where('due_at', '=', due_at)
    .where('running_until', 'is', null)
    .returning('id')
    .executeTakeFirst();
  return claimed !== undefined;
}

/** The columns of a run that has ended. */
export type RunEnd = Pick<ScheduleRow, 'last_result' | 'last_duration_ms' | 'last_error'> &
  Partial<Pick<ScheduleRow, 'failures' | 'moment' | 'due_at'>>;

/** Ends a run. False if it is no longer the current one: the schedule has changed, or the run was taken for lost. */
export async function endRun(db: Db, { id, moment }: Claimed, end: RunEnd): Promise<boolean> {
  const ended = await db
    .updateTable('function_schedules')
    .set({ ...end, running_until: null })
    .where('id', '=', id)
    .where('last_moment', '=', moment)
    .where('running_until', 'is not', null)
    .returning('id')
    .executeTakeFirst();
  return ended !== undefined;
}

/** Stores the result of a run that its owner started. */
export async function setLastRun(
  db: Db,
  id: number,
  run: RunEnd & Pick<ScheduleRow, 'last_moment' | 'last_started_at'>,
): Promise<void> {
  await db
    .updateTable('function_schedules')
    .set(run)
    .where('id', '=', id)
    .where('running_until', 'is', null)
    .execute();
}

/** The runs whose node must have been lost. */
export function listLost(db: Db, now: number): Promise<ScheduleRow[]> {
  return db
    .selectFrom('function_schedules')
    .selectAll()
    .where('running_until', '<=', now)
    .limit(100)
    .execute();
}

/** When the first of the runs in progress must have ended. */
export async function findNextEnd(db: Db): Promise<number | undefined> {
  const row = await db
    .selectFrom('function_schedules')
    .select('running_until')
    .where('running_until', 'is not', null)
    .orderBy('running_until')
    .limit(1)
    .executeTakeFirst();
  return row?.running_until ?? undefined;
}

/** Schedules that were planned at a time that is still to come: the clock was wrong then. */
export function listPlannedAfter(db: Db, moment: number): Promise<ScheduleRow[]> {
  return db.selectFrom('function_schedules').selectAll().where('planned_at', '>', moment).execute();
}

/** Plans the next run again. */
export async function plan(
  db: Db,
  id: number,
  changes: Partial<Omit<ScheduleRow, 'id' | 'function_id' | 'owner_id' | 'cron' | 'timezone'>>,
): Promise<void> {
  await db.updateTable('function_schedules').set(changes).where('id', '=', id).execute();
}
