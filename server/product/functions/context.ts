import type { Bundler } from '../../platform/bundler/index.ts';
import type { Cells } from '../../platform/cells/index.ts';
import type { EventStreams } from '../../platform/http/index.ts';
import type { Db, Storage, Tx } from '../../platform/storage/index.ts';
import type { Calls } from './calls/call.ts';
import type { CallingPages, WhoCalls } from './calls/who-calls.ts';
import type { DeployTurns } from './deploy-turns.ts';
import type { FunctionLogs } from './logs/logs.ts';
import type { Registry } from './registry.ts';
import type { RunNow } from './schedules/run-now.ts';
import type { Scheduler } from './schedules/scheduler.ts';
import type { Sealer } from './secrets/secrets.ts';

/** Counts what a user has and stores, in the same transaction. Fails if that exceeds a quota. */
export type ChargeUsage = (
  tx: Tx,
  userId: number,
  change: { functions?: number; bytes: number },
) => Promise<void>;

/** What deploying needs. */
export interface DeployContext {
  db: Db;
  now: () => number;
  cells: Cells;
  bundler: Bundler;
  registry: Registry;
  logs: FunctionLogs;
  chargeUsage: ChargeUsage;
  /** Limits how often, and how many at a time, an owner deploys. */
  deployTurns: DeployTurns;
  scheduler: Scheduler;
}

/** What the routes of this slice need. */
export interface FunctionsContext extends DeployContext {
  storage: Pick<Storage, 'search'>;
  streams: EventStreams;
  calls: Calls;
  whoCalls: WhoCalls;
  pages: CallingPages;
  sealer: Sealer;
  /** Runs a schedule because its owner asks for it. */
  runNow: RunNow;
  workerUrl(row: { id: number; slug: string }): string;
}
