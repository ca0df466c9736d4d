import { randomUUID } from 'node:crypto';
import { MAX_LIVE_RESULT_BYTES } from '../../../../contract/functions/calls/live-calls.ts';
import { ALL_TABLES, formatRun, type LiveChanges, parseRun } from '../../../../workers/protocol.ts';
import { AppError, notFound } from '../../../lib/errors.ts';
import type { Kept } from '../../../lib/live/kept-bytes.ts';
import { Rerun, type RestingQueue } from '../../../lib/live/rerun.ts';
import type { Limit } from '../../../platform/coordination/limits/index.ts';
import type { CellAnswer } from '../../../runtime/cells/index.ts';
import type { Databases } from '../../../runtime/databases/index.ts';
import type { Calls } from '../calls/call.ts';
import type { Failure } from '../calls/failures.ts';
import type { LiveFunction, Registry } from '../calls/registry.ts';
import { readSome, toFailedAnswer } from '../calls/test-call.ts';
import type { FunctionLogs } from '../logs/logs.ts';
import type { WatchedDatabases } from './watched-databases.ts';

/** A call that is the same for several tabs: it runs once for all of them. */

/** Runs, and deliveries of changes that they made, cause each other this often at most. */
const MAX_ROUNDS = 8;
/** How often in a row a call runs again because its process died. */
const MAX_DEATHS = 3;
/** What a call takes of the memory beside its result. */
const CALL_BYTES = 2_000;
/** Events of one result that are encoded once. */
const MAX_EVENTS = 4;
const ENCODER = new TextEncoder();

export interface LiveCallsContext {
  calls: Calls;
  registry: Registry;
  databases: Databases;
  logs: FunctionLogs;
  /** Limits the runs of an owner. */
  runLimit: Limit;
}

/** What makes two calls the same: the caller has the same rights, and the function cannot tell them apart. */
export interface SharedQuery {
  functionId: number;
  ownerId: number;
  body: string;
  /** Without what a function can use for a short time only. */
  who: Record<string, string>;
}

/** A tab that shows the result. */
export interface CallReader {
  /** The address of the reader, or its network. */
  readonly source: string;
  /** The headers for a run in the name of its visitor; undefined if that is not possible now. */
  identify(call: SharedCall): Promise<Record<string, string> | undefined>;
  changed(call: SharedCall): void;
  failed(call: SharedCall, error: AppError): void;
}

interface Options {
  queue: RestingQueue;
  kept: Kept;
  watched: WatchedDatabases;
  /** The address and the page that it was asked for from first. */
  source: string;
  pageId: number;
}

export class SharedCall {
  readonly readers = new Set<CallReader>();
  state: { hash: string; text: string } | undefined;
  readonly #rerun: Rerun;
  readonly #stopping = new AbortController();
  /** Ends that its database is followed. */
  #unfollow: (() => void) | undefined;
  #databaseId: number | undefined;
  /** What the last run has read. */
  #tables: ReadonlySet<string> = new Set();
  /** The run that is under way, or the last one. */
  #run = '';
  /** What was written since the run has begun. */
  #meanwhile: LiveChanges[] = [];
  /** How many runs in a row have ended with their process. */
  #deaths = 0;
  /** How many runs of live calls have caused each other, up to the next one. */
  #round = 0;
  /** The events with the state. Tabs choose short ids, so most share one. */
  readonly #events = new Map<string, Uint8Array>();

  constructor(
    private readonly context: LiveCallsContext,
    readonly query: SharedQuery,
    readonly options: Options,
  ) {
    this.#rerun = new Rerun({ add: (work) => options.queue.add(options.source, work) }, () =>
      this.#runOnce(),
    );
  }

  /** Runs the call again, soon. */
  refresh(): void {
    this.#round = 0;
    this.#rerun.refresh();
  }

  stop(): void {
    this.#rerun.stop();
    this.#stopping.abort();
    this.#unfollow?.();
    this.options.kept.end();
  }

  /** Fails if the call cannot run now, but perhaps later. */
  async #runOnce(): Promise<void> {
    try {
      await this.#runNow();
    } catch (error) {
      if (this.#rerun.isStopped) return;
      if (!(error instanceof AppError) || error.code === 'UNAVAILABLE') throw error;
      for (const reader of [...this.readers]) reader.failed(this, error);
    }
  }

  async #runNow(): Promise<void> {
    const { calls, registry, databases } = this.context;
    const { functionId, ownerId, body } = this.query;
    const found = await registry.byId(functionId);
    assertCallable(found, ownerId);
    await this.#takeTurn();
    await this.#follow(found);
    const who = await this.#identify();
    if (this.#rerun.isStopped) return;
    // Readers whose rights have changed leave. Others could only not be identified now.
    if (!who) throw tryAgain();
    const run = formatRun(this.#round, randomUUID());
    [this.#run, this.#round, this.#meanwhile] = [run, 0, []];
    const answer = await calls.runLive(found, { body, who, run }, this.#stopping.signal);
    const text = await toText(answer);
    const { databaseId } = found;
    const tables = databaseId === null ? [] : await databases.takeReads(ownerId, databaseId, run);
    // It is not known what a run would have read that was cut off.
    const isCut = 'error' in answer && answer.status > 500;
    this.#tables = new Set(isCut ? [ALL_TABLES] : tables);
    this.#deaths = isCut && answer.status === 502 ? this.#deaths + 1 : 0;
    if (this.#rerun.isStopped) return;
    this.#become(text);
    for (const changes of this.#meanwhile.splice(0)) this.#take(changes);
    // The function was not to blame, or perhaps not, and may answer in a moment.
    const mayAnswerSoon = answer.status === 503 || (this.#deaths > 0 && this.#deaths <= MAX_DEATHS);
    if (isCut && mayAnswerSoon) throw tryAgain();
  }

  /** Fails if the owner's live calls have run too often. */
  async #takeTurn(): Promise<void> {
    try {
      await this.context.runLimit.take(`owner ${this.query.ownerId}`);
    } catch {
      throw tryAgain();
    }
  }

  /** Follows the database before the first run, so that no change is missed. */
  async #follow({ databaseId }: LiveFunction): Promise<void> {
    const { watched } = this.options;
    if ((databaseId ?? undefined) !== this.#databaseId) {
      this.#unfollow?.();
      this.#databaseId = databaseId ?? undefined;
      this.#unfollow =
        databaseId === null
          ? undefined
          : watched.follow(this.query.ownerId, databaseId, {
              onStart: () => this.refresh(),
              onChange: (changes) => this.#noteChange(changes),
            });
      if (this.#rerun.isStopped) this.#unfollow?.();
    }
    if (databaseId !== null) await watched.untilStarted(databaseId);
  }

  /** Finds a reader in whose name the call can run. */
  async #identify(): Promise<Record<string, string> | undefined> {
    for (const reader of [...this.readers]) {
      const who = await reader.identify(this);
      if (who) return who;
    }
    return undefined;
  }

  #noteChange(changes: LiveChanges): void {
    if (this.#rerun.isRunning) this.#meanwhile.push(changes);
    else this.#take(changes);
  }

  /** Runs the call again if it has read what was written. */
  #take(changes: LiveChanges): void {
    for (const [table, run] of Object.entries(changes)) {
      // What a run writes itself does not let it run again.
      if (run === this.#run) continue;
      if (table !== ALL_TABLES && !this.#tables.has(table) && !this.#tables.has(ALL_TABLES)) continue;
      const round = run === null ? 0 : parseRun(run) + 1;
      if (round > MAX_ROUNDS) this.#logLoop();
      else {
        this.#round = Math.max(this.#round, round);
        this.#rerun.refresh();
      }
    }
  }

  #logLoop(): void {
    this.context.logs.system(
      this.query.functionId,
      `Live calls write what other live calls have read, so they caused each other ${MAX_ROUNDS} times and were stopped. Let calls that are followed only read.`,
    );
  }

  #become(text: string): void {
    const bytes = text.length * (2 + MAX_EVENTS) + this.query.body.length * 2 + CALL_BYTES;
    const sources = [...this.readers].map(({ source }) => source);
    if (!this.options.kept.resize(bytes, sources)) throw tooLarge();
    this.state = { text, hash: Bun.hash(text).toString(36) };
    this.#events.clear();
    for (const reader of [...this.readers]) reader.changed(this);
  }

  /** The event for a reader who has seen the result with a hash; undefined if there is nothing new. */
  eventFor(id: string, known: string | undefined): Uint8Array | undefined {
    const { state } = this;
    if (!state || state.hash === known) return undefined;
    let event = this.#events.get(id);
    if (!event) {
      event = ENCODER.encode(
        `data: {"id":${JSON.stringify(id)},"hash":"${state.hash}","result":${state.text}}\n\n`,
      );
      if (this.#events.size < MAX_EVENTS) this.#events.set(id, event);
    }
    return event;
  }
}

const tryAgain = () => new AppError('UNAVAILABLE', 'Try again in a moment.');

function assertCallable(found: LiveFunction | undefined, ownerId: number): asserts found is LiveFunction {
  if (!found?.isPublic || found.block || found.ownerId !== ownerId)
    throw notFound('This function was not found.');
}

/** What the function answers, as JSON. */
async function toText(answer: CellAnswer | Failure): Promise<string> {
  if ('error' in answer) return (await toFailedAnswer(answer)).body ?? '';
  const { bytes, isCut } = await readSome(answer, MAX_LIVE_RESULT_BYTES);
  if (isCut)
    throw wrong('The function answers with more than {kilobytes} KB, which is the limit of a live call.');
  try {
    return JSON.stringify(JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)));
  } catch {
    throw wrong('The function did not return JSON (status {status}).', answer.status);
  }
}

function wrong(sentence: string, status = 0): AppError {
  return new AppError('CONFLICT', sentence, { status, kilobytes: MAX_LIVE_RESULT_BYTES / 1024 });
}

function tooLarge(): AppError {
  return new AppError(
    'RATE_LIMITED',
    'The results of live calls of this owner, or those for your address, are too large together. Let the functions answer with less.',
  );
}
