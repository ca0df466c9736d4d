import type { ScheduleRun } from '../../../../contract/functions/schedule-run.ts';
import { AppError } from '../../../lib/errors.ts';
import { toTimestamp } from '../../../lib/timestamp.ts';
import type { LiveFunction } from '../calls/registry.ts';
import { toInsight } from '../calls/test-call.ts';
import { logRun, storeManualResult } from './results.ts';
import { type Outcome, runOnce } from './run.ts';
import type { Scheduler, SchedulerOptions } from './scheduler.ts';
import type { ScheduleRow } from './store.ts';
import { OWNER_RUNS } from './turns.ts';

/** How long the response waits for the end of the run. */
const WAIT_MS = 25_000;

interface WhatToRun {
  found: LiveFunction;
  ownerId: number;
  /** The schedule; undefined for a function without schedules. */
  row: ScheduleRow | undefined;
}

export type RunNow = (what: WhatToRun) => Promise<ScheduleRun>;

/** Runs a function's `scheduled` now, for its owner, who learns what happens in it. */
export async function runNow(
  context: SchedulerOptions & { scheduler: Scheduler },
  { found, ownerId, row }: WhatToRun,
): Promise<ScheduleRun> {
  const { limit, logs, now, scheduler } = context;
  if (scheduler.turns.countRuns(ownerId) >= OWNER_RUNS) throw tooMany();
  await limit.take(String(ownerId));
  // Other runs may have begun meanwhile.
  if (scheduler.turns.countRuns(ownerId) >= OWNER_RUNS) {
    await limit.giveBack(String(ownerId));
    throw tooMany();
  }
  const startedAt = now();
  const began = performance.now();
  const trace = logs.traces.begin(found.id);
  const work = run(context, { found, ownerId, row }, { startedAt, trace: trace.id });
  const waiting = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => waiting.resolve(undefined), WAIT_MS);
  const outcome = await Promise.race([work, waiting.promise]).finally(() => {
    clearTimeout(timer);
    return logs.traces.end(trace);
  });
  if (outcome?.isNotRun) throw notStarted(outcome);
  // Write the log first: then the stack has the places of the source.
  await logs.flush();
  const { failure } = outcome ?? {};
  const result = failure ? (outcome?.cutOff === 'stop' ? 'interrupted' : 'error') : 'ok';
  return {
    cron: row?.cron ?? '',
    scheduledAt: toTimestamp(startedAt),
    result: outcome ? result : 'running',
    durationMs: Math.round(performance.now() - began),
    error: failure?.error ?? null,
    ...toInsight(trace),
  };
}

async function run(
  context: SchedulerOptions & { scheduler: Scheduler },
  { found, ownerId, row }: WhatToRun,
  { startedAt, trace }: { startedAt: number; trace: string },
): Promise<Outcome> {
  const { logs, scheduler } = context;
  const began = performance.now();
  const turn = scheduler.turns.begin(ownerId, () => scheduler.wake());
  const { signal, onBegun } = turn;
  const work = (async () => {
    const cron = row?.cron ?? '';
    const outcome = await runOnce(context, found, { cron, moment: startedAt, signal, trace, onBegun });
    if (outcome.isNotRun) return outcome;
    const ended = { outcome, startedAt, durationMs: performance.now() - began };
    logRun(logs, found.id, cron, ended);
    if (row) await storeManualResult(context, row, ended);
    return outcome;
  })();
  turn.finish(work);
  return work;
}

function tooMany(): AppError {
  return new AppError(
    'UNAVAILABLE',
    'You already have {count} scheduled runs in progress. Try again when one of them has ended.',
    { count: OWNER_RUNS },
    { headers: { 'retry-after': '5' } },
  );
}

function notStarted({ failure }: Outcome): AppError {
  const headers = { 'retry-after': failure?.headers?.['retry-after'] ?? '5' };
  return new AppError(
    'UNAVAILABLE',
    failure ? '{message}' : 'The run could not start. Try again.',
    failure && { message: failure.error },
    { headers },
  );
}
