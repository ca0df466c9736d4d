import type { Sealer } from '../../lib/secrets.ts';
import type { Limits } from '../../platform/coordination/limits/index.ts';
import type { FetchExternal } from '../../runtime/egress/index.ts';
import type { ChargeUsage } from '../ports.ts';
import { JobRunner, type JobRunnerOptions } from './jobs/job-runner.ts';
import { Scheduler } from './schedules/scheduler.ts';
import { createDeliver } from './triggers/deliver.ts';
import { createRecordTriggers } from './triggers/send.ts';

/** Runs of functions that no visitor has called. */
export interface OwnRuns {
  /** The number of runs in progress. */
  running(): number;
  /** Begins no more runs. */
  drain(): void;
  /** Ends the runs in progress. Call this before cells stop. */
  stop(): Promise<void>;
}

/** The functions of an owner get this many times as many batches of jobs as an IP address can make calls. */
const TIMES_ADDRESS_LIMIT = 20;

type Options = Omit<JobRunnerOptions, 'jobLimit' | 'maxRuns' | 'deliver'> & {
  limits: Limits;
  sealer: Sealer;
  fetchExternal: FetchExternal;
  chargeWithoutQuota: ChargeUsage;
  config: { callsPerMinute: number; scheduledRunsPerMinute: number; maxCells: number };
};

/** Starts the runs of functions on schedules and for their jobs. */
export async function startOwnRuns(options: Options) {
  const runContext = { ...options, ...runLimits(options) };
  const scheduler = new Scheduler(runContext);
  const jobs = new JobRunner({ ...runContext, deliver: createDeliver(options) });
  await jobs.start();
  return {
    ...{ runContext, scheduler, jobs },
    triggers: createRecordTriggers({ ...options, wakeJobs: () => jobs.wake() }),
    /** Starts the work of functions that was waiting. */
    wake() {
      scheduler.wake();
      jobs.wake();
    },
    async repair() {
      await scheduler.repair();
      await jobs.repair();
    },
  };
}

/** The scheduler or the job runner, as the rest of the server sees it. */
export const toOwnRuns = (runner: Scheduler | JobRunner): OwnRuns => ({
  running: () => runner.turns.size,
  drain: () => runner.drain(),
  stop: () => runner.stop(),
});

/** Cells that runs on schedules can use, and those that jobs can use. Most are left to calls. */
function runLimits({ limits, config }: Options) {
  const points = config.scheduledRunsPerMinute;
  const message =
    'Your functions have run {points} times on schedules in the last minute, which is the limit. Try again {wait}.';
  return {
    limit: limits.limit('scheduled-runs', { points, seconds: 60 }, message),
    jobLimit: limits.limit(
      'job-batches',
      { points: TIMES_ADDRESS_LIMIT * config.callsPerMinute, seconds: 60 },
      'Your functions have had {points} batches of jobs in the last minute, which is the limit.',
    ),
    maxRuns: Math.max(1, Math.floor(config.maxCells / 4)),
  };
}
