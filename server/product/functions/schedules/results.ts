import { nextMoment } from '../../../lib/formats/cron.ts';
import { toTimestamp } from '../../../lib/timestamp.ts';
import type { Db } from '../../../platform/storage/index.ts';
import type { FunctionLogs } from '../logs/logs.ts';
import type { Outcome } from './run.ts';
import { endRun, type RunEnd, type ScheduleRow, setLastRun } from './store.ts';

/** From this many failed runs in a row on, the next run is delayed. */
const PATIENCE = 3;
const FIRST_DELAY_MS = 5 * 60_000;
const MAX_DELAY_MS = 6 * 3600 * 1000;
/** How long a run waits if it got no process. */
const POSTPONE_MS = 30_000;

interface ResultsContext {
  db: Db;
  now: () => number;
  logs: FunctionLogs;
}

/** A run that has ended. */
interface Ended {
  outcome: Outcome;
  startedAt: number;
  durationMs: number;
}

/** The backoff of a schedule after this many failures in a row. */
function delayMs(failures: number): number {
  if (failures < PATIENCE) return 0;
  return Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** (failures - PATIENCE));
}

/** Stores how a run of a claimed moment ended, and says so in the function's log. */
export async function storeResult(context: ResultsContext, row: ScheduleRow, ended: Ended): Promise<void> {
  if (ended.outcome.isNotRun) return postpone(context, row, ended.outcome);
  const { db, logs, now } = context;
  logRun(logs, row.function_id, row.cron, ended);
  const end = await toEnd(row, ended, now());
  const isEnded = await endRun(db, row, end);
  if (isEnded && end.moment !== undefined && end.failures) {
    const text = `The schedule ${row.cron} has failed ${end.failures} times in a row. Its next run is delayed until ${toTimestamp(end.moment)}.`;
    logs.system(row.function_id, text);
  }
}

/** Stores how a run ended that the owner started. If it succeeded, the schedule is no longer delayed. */
export async function storeManualResult(
  { db, now }: ResultsContext,
  row: ScheduleRow,
  ended: Ended,
): Promise<void> {
  const { failures: _, moment: __, due_at: ___, ...end } = await toEnd(row, ended, now());
  const moment = await nextMoment(row, now());
  const isRevived = end.last_result === 'ok' && row.failures > 0;
  await setLastRun(db, row.id, {
    ...end,
    last_moment: ended.startedAt,
    last_started_at: ended.startedAt,
    ...(isRevived && { failures: 0, moment, due_at: moment, planned_at: now() }),
  });
}

/** The line about a run, next to those about calls. */
export function logRun(
  logs: FunctionLogs,
  functionId: number,
  cron: string,
  { outcome: { failure }, startedAt }: Ended,
): void {
  const text = failure ? (failure.logged ?? failure.error) : 'ok';
  const error = `scheduled run${cron && ` (${cron})`}: ${text}`;
  logs.call(functionId, { status: failure?.status ?? 200, startedAt, error });
}

async function toEnd(row: ScheduleRow, { outcome, durationMs }: Ended, now: number): Promise<RunEnd> {
  const { failure, cutOff } = outcome;
  const end = { last_duration_ms: Math.round(durationMs), last_error: failure?.error ?? null };
  if (!failure) return { ...end, last_result: 'ok', failures: 0 };
  // The function is not to blame.
  if (cutOff === 'stop' || cutOff === 'place') return { ...end, last_result: 'interrupted' };
  const failures = row.failures + 1;
  const rest = delayMs(failures);
  const regular = await nextMoment(row, now);
  const moment = rest === 0 ? regular : await nextMoment(row, now + rest - 1);
  const delayed = moment > regular ? { moment, due_at: moment, planned_at: now } : {};
  return { ...end, last_result: 'error', failures, ...delayed };
}

/** Returns a claimed moment whose run has not begun. */
async function postpone(
  { db, logs, now }: ResultsContext,
  row: ScheduleRow,
  outcome: Outcome,
): Promise<void> {
  const { id, moment, last_moment, last_started_at, last_result, last_duration_ms, last_error } = row;
  const isStop = outcome.cutOff === 'stop';
  const due_at = isStop ? moment : now() + POSTPONE_MS;
  const before = { last_moment, last_started_at, last_result, last_duration_ms, last_error };
  const isEnded = await endRun(db, { id, moment }, { ...before, moment, due_at });
  // Log this only once, because it may take many attempts.
  if (!isEnded || isStop || row.due_at !== moment) return;
  const reason = outcome.failure?.error ?? '';
  logs.system(
    row.function_id,
    `The schedule ${row.cron} waits for its run, which could not start: ${reason}`,
  );
}
