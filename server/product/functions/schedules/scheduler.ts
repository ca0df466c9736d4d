import { nextMoment } from '../../../lib/formats/cron.ts';
import { DueLoop } from '../../../lib/loops/due-loop.ts';
import type { Limit } from '../../../platform/coordination/limits/index.ts';
import type { Log } from '../../../platform/http/index.ts';
import type { Db } from '../../../platform/storage/index.ts';
import type { Cells } from '../../../runtime/cells/index.ts';
import type { Databases } from '../../../runtime/databases/index.ts';
import type { MomentKeeper } from '../../ports.ts';
import type { Registry } from '../calls/registry.ts';
import type { FunctionLogs } from '../logs/logs.ts';
import { endLostRuns, planAnew } from './repair.ts';
import { storeResult } from './results.ts';
import { RUN_MS, runOnce } from './run.ts';
import { startInTurns } from './start-in-turns.ts';
import { claim, findNextDue, findNextEnd, listDue, type ScheduleRow } from './store.ts';
import { Turns } from './turns.ts';

/** How long a run may take in addition to its limit until it counts as lost: its process has to start. */
const GRACE_MS = 60_000;

export interface SchedulerOptions {
  db: Db;
  now: () => number;
  log: Log;
  cells: Cells;
  databases: Databases;
  registry: Registry;
  logs: FunctionLogs;
  /** How many runs an owner may have in a time, on all nodes together. */
  limit: Limit;
  maxRuns: number;
  moments: Pick<MomentKeeper, 'noteChange' | 'assertNotRestoring'>;
}

/**
 * Runs functions on their schedules. Every node has one: it claims moments that are due, and the database decides which
 * node gets each. It knows when the next one is due and asks the database no sooner, except once a minute.
 */
export class Scheduler {
  readonly #options: SchedulerOptions;
  readonly turns: Turns;
  readonly #loop: DueLoop;

  constructor(options: SchedulerOptions) {
    this.#options = options;
    this.turns = new Turns(options.maxRuns);
    this.#loop = new DueLoop({
      ...{ what: 'schedules', log: options.log, now: options.now },
      startDue: () => this.#startDue(),
      repair: () => this.repair(),
    });
  }

  /** Call this when a schedule has changed, or what keeps one from running. */
  wake(): void {
    this.#loop.wake();
  }

  /** Plans schedules again that were planned by a wrong clock. */
  repair(): Promise<void> {
    return planAnew(this.#options);
  }

  /** Claims nothing more, so that other nodes can. */
  drain(): void {
    this.#loop.drain();
  }

  /** Ends the runs in progress. */
  async stop(): Promise<void> {
    await this.#loop.stop();
    await this.turns.stop();
  }

  /** Starts the runs that are due. Returns when to look again. */
  async #startDue(): Promise<number> {
    const { db, limit, now } = this.#options;
    await endLostRuns(this.#options);
    return startInTurns<ScheduleRow>({
      ...{ turns: this.turns, limit, now },
      isStopped: () => this.#loop.isStopped,
      listDue: (query) => listDue(db, query),
      start: (row) => this.#start(row),
      findNext: async (exceptOwners) =>
        Math.min((await findNextDue(db, exceptOwners)) ?? Infinity, (await findNextEnd(db)) ?? Infinity),
    });
  }

  async #start(row: ScheduleRow): Promise<boolean> {
    const { db, now } = this.#options;
    const at = now();
    const next = await nextMoment(row, at);
    const isClaimed = await claim(db, row, { now: at, next, until: at + RUN_MS + GRACE_MS });
    if (isClaimed) this.#run(row);
    return isClaimed;
  }

  #run(row: ScheduleRow): void {
    const { log, registry, now } = this.#options;
    const turn = this.turns.begin(row.owner_id, () => this.wake());
    const { signal, onBegun } = turn;
    const work = async () => {
      const startedAt = now();
      const began = performance.now();
      const found = await registry.byId(row.function_id);
      if (!found) return;
      const outcome = await runOnce(this.#options, found, {
        cron: row.cron,
        moment: row.moment,
        signal,
        onBegun,
      });
      await storeResult(this.#options, row, { outcome, startedAt, durationMs: performance.now() - began });
    };
    turn.finish(
      work().catch((error: unknown) =>
        log.warn({ err: error, function: row.function_id }, 'a scheduled run failed'),
      ),
    );
  }
}
