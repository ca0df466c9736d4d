import { DueLoop, SET_BACK_MS } from '../../../lib/loops/due-loop.ts';
import type { Broadcast } from '../../../platform/coordination/events/index.ts';
import type { Limit } from '../../../platform/coordination/limits/index.ts';
import type { Log } from '../../../platform/http/index.ts';
import type { Db } from '../../../platform/storage/index.ts';
import type { ChargeUsage } from '../../ports.ts';
import type { LiveFunction, Registry } from '../calls/registry.ts';
import type { FunctionLogs } from '../logs/logs.ts';
import type { Outcome, RunContext } from '../schedules/run.ts';
import { startInTurns } from '../schedules/start-in-turns.ts';
import { Turns } from '../schedules/turns.ts';
import { type Batch, claimBatch, endLost, giveBack } from './batch.ts';
import { bringForward, findFirstDue } from './message-store.ts';
import { type BatchOutcome, runBatch } from './run.ts';
import { type Settled, settle } from './settle.ts';
import {
  type DueQueue,
  findNextDue,
  findNextEnd,
  listDue,
  listDueAfter,
  lockQueue,
  renew,
  updateQueue,
} from './store.ts';

/** How long a node keeps a queue that it has claimed, unless it renews the claim. */
const LEASE_MS = 30_000;
const RENEW_EVERY_MS = 10_000;
/** How long messages wait if the process of their function did not start. */
const POSTPONE_MS = 5_000;
/** Published to the other nodes when a queue has work that this node cannot do now. */
const TOPIC = 'jobs';

export interface JobRunnerOptions extends RunContext {
  db: Db;
  now: () => number;
  log: Log;
  registry: Registry;
  logs: FunctionLogs;
  broadcast: Broadcast;
  chargeUsage: ChargeUsage;
  /** How many batches an owner may have in a time, on all nodes together. */
  jobLimit: Limit;
  maxRuns: number;
  /** Sends the messages of a batch to the URLs of triggers. */
  deliver(batch: Batch, signal: AbortSignal): Promise<BatchOutcome>;
}

/**
 * Gives messages to the functions that sent them. Every node has one: it claims the queues of functions that have due
 * messages, one batch of a function at a time, and the database decides which node gets each.
 */
export class JobRunner {
  readonly #options: JobRunnerOptions;
  readonly turns: Turns;
  readonly #loop: DueLoop;
  /** The functions whose batches this node runs. */
  readonly #own = new Set<number>();

  constructor(options: JobRunnerOptions) {
    this.#options = options;
    this.turns = new Turns(options.maxRuns);
    this.#loop = new DueLoop({
      ...{ what: 'jobs', log: options.log, now: options.now },
      startDue: () => this.#startDue(),
      repair: () => this.repair(),
    });
    options.broadcast.subscribe(TOPIC, () => this.#loop.wake());
  }

  /** Frees queues whose node can no longer exist: the only node starts. */
  async start(): Promise<void> {
    if (this.#options.broadcast.isSingleNode)
      await endLost(this.#options.db, Number.MAX_SAFE_INTEGER, this.#own);
  }

  /** Call this when messages were sent, or what keeps them from running has changed. */
  wake(): void {
    this.#loop.wake();
    if (this.#loop.isStopped || this.turns.free === 0) this.#options.broadcast.publish(TOPIC, null);
  }

  /** Makes messages due that were sent when the clock was wrong. */
  async repair(): Promise<void> {
    const { db, now } = this.#options;
    const at = now();
    for (const id of await listDueAfter(db, at + SET_BACK_MS)) {
      await db.transaction().execute(async (tx) => {
        if (!(await lockQueue(tx, id))) return;
        await bringForward(tx, id, at + SET_BACK_MS, at);
        await updateQueue(tx, id, { due_at: await findFirstDue(tx, id) });
      });
    }
  }

  /** Claims nothing more, so that other nodes can. */
  drain(): void {
    this.#loop.drain();
  }

  /** Ends the batches in progress. Their messages are sent again. */
  async stop(): Promise<void> {
    await this.#loop.stop();
    await this.turns.stop();
  }

  /** Starts the batches that are due. Returns when to look again. */
  async #startDue(): Promise<number> {
    const { db, jobLimit, logs, now } = this.#options;
    for (const id of await endLost(db, now(), this.#own))
      logs.system(id, 'A server was lost while it ran jobs of this function. They are tried again.');
    return startInTurns<DueQueue>({
      ...{ turns: this.turns, limit: jobLimit, now },
      isStopped: () => this.#loop.isStopped,
      listDue: (query) => listDue(db, query),
      start: (row) => this.#start(row),
      findNext: async (exceptOwners) =>
        Math.min(
          (await findNextDue(db, exceptOwners)) ?? Infinity,
          (await findNextEnd(db, [...this.#own])) ?? Infinity,
        ),
    });
  }

  async #start(row: DueQueue): Promise<boolean> {
    const { db, now } = this.#options;
    const at = now();
    const batch = await claimBatch(db, row.function_id, { now: at, until: at + LEASE_MS });
    if (batch) this.#run(row.owner_id, batch);
    return batch !== undefined;
  }

  #run(ownerId: number, batch: Batch): void {
    const { db, log, now } = this.#options;
    const { functionId } = batch;
    this.#own.add(functionId);
    const failed = (error: unknown) =>
      log.warn({ err: error, function: functionId }, 'a batch of jobs failed');
    const renewing = setInterval(() => void renew(db, batch, now() + LEASE_MS).catch(failed), RENEW_EVERY_MS);
    const turn = this.turns.begin(ownerId, () => this.#loop.wake());
    const work = this.#runBatch(batch, turn)
      .catch(failed)
      .finally(() => {
        clearInterval(renewing);
        this.#own.delete(functionId);
      });
    turn.finish(work);
  }

  async #runBatch(batch: Batch, turn: { signal: AbortSignal; onBegun(): void }): Promise<void> {
    const { db, registry, now } = this.#options;
    const startedAt = now();
    const found = await registry.byId(batch.functionId);
    if (!found) return;
    const result = await this.#give(found, batch, turn);
    const { outcome } = result;
    if (mustWait(outcome)) return giveBack(db, batch, now() + (outcome.cutOff ? 0 : POSTPONE_MS));
    const settled = await settle(this.#options, batch, result);
    this.#log(found, { batch, outcome, settled, startedAt, error: result.error });
  }

  #give(
    found: LiveFunction,
    batch: Batch,
    turn: { signal: AbortSignal; onBegun(): void },
  ): Promise<BatchOutcome> {
    if (batch.jobs[0]?.trigger_id == null) return runBatch(this.#options, found, batch, turn);
    turn.onBegun();
    return this.#options.deliver(batch, turn.signal);
  }

  /** The line about a batch, next to those about calls. */
  #log(
    { id }: LiveFunction,
    run: { batch: Batch; outcome: Outcome; settled: Settled | undefined; startedAt: number; error: string },
  ): void {
    const { logs } = this.#options;
    const { cutOff, failure } = run.outcome;
    const { again = run.batch.jobs.length, failed = 0 } = run.settled ?? {};
    const why = cutOff ? run.error : (failure?.logged ?? failure?.error);
    const text = why?.replace(/\.$/, '') ?? 'ok';
    const left = again > 0 ? `; ${again} will be tried again` : '';
    logs.call(id, {
      status: failure?.status ?? 200,
      startedAt: run.startedAt,
      error: `jobs (${run.batch.jobs.length}): ${text}${left}`,
    });
    if (failed > 0)
      logs.system(id, `${failed} of the jobs have failed for the last time. The last error: ${run.error}`);
  }
}

/** True if the function is not to blame: it was not run, or the server stops. A module that does not load is. */
const mustWait = ({ isNotRun, cutOff, failure }: Outcome) =>
  cutOff === 'stop' || (isNotRun === true && failure?.status !== 502);
