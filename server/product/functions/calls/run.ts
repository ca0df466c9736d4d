import { createDeadlines } from '../../../lib/time-limits/deadlines.ts';
import { runResponding, runSpan, type Span, startSpan } from '../../../platform/traces/index.ts';
import {
  type Cell,
  type CellAnswer,
  type CellSocket,
  type Cells,
  NoTurnError,
  type PoolEntry,
  type SocketAnswer,
} from '../../../runtime/cells/index.ts';
import { deathText } from './crash-messages.ts';
import { addDatabaseSpans, type CallDatabase, type TracedDatabases } from './database-spans.ts';
import { type Failure, startFailure } from './failures.ts';
import { requestHeaders, socketHeaders } from './headers.ts';
import { Bridge } from './sockets/bridge.ts';

const ANSWER_MS = 30_000;
/** Short calls do not watch whether their caller leaves: that would take a tenth of their time. */
const UNWATCHED_MS = 100;
const LATE = 'late';
const MAX_CALLS_PER_CELL = 200;
/** Calls in progress from one IP address: a client that reads slowly must not block others. */
const MAX_CALLS_PER_CALLER = 100;
/** How many cells a call tries if they cannot start it. */
export const NEVER_SENT_TRIES = 3;
/** How long to wait for a cell to end after its connection broke, to learn why. */
const END_MS = 2_000;

const BUSY: Failure = {
  status: 503,
  error: 'The function has too many calls at once. Try again in a moment.',
  headers: { 'retry-after': '1' },
};
const CALLER_BUSY: Failure = {
  status: 503,
  error: `The function has ${MAX_CALLS_PER_CALLER} calls from your address at once, which is the limit. Try again when some of them have finished.`,
  headers: { 'retry-after': '1' },
};
const NO_ROOM_FOR_SOCKET: Failure = {
  status: 503,
  error:
    'The processes of the function have as many WebSockets as they can, and there is no place for another process. Try again in a moment.',
  headers: { 'retry-after': '5' },
};
const BAD_HEADERS: Failure = {
  status: 502,
  error:
    'The function sent headers that cannot be passed on: there are too many, or they contain invalid characters.',
};

/** A request as a cell gets it. */
export interface CallRequest {
  request: Request;
  body: Uint8Array;
  path: string;
  address: string;
  /** The key that the call counts under. */
  source: string;
  /** The headers that say which visitor of a page calls. */
  who?: Record<string, string>;
  /** True if the caller asks for a WebSocket. */
  isUpgrade?: boolean;
  /** The mark of the lines that the call prints. */
  trace?: string | undefined;
  /** The run that the call is part of. */
  run?: string | undefined;
  /** The database of the function, if it has one. */
  database?: CallDatabase;
}

/** The response of a function. `bridge` is its end of a WebSocket. */
export type RunAnswer = CellAnswer & { bridge?: Bridge };

/**
 * Gets the headers of a response from a cell, and the whole response if it is small, within the time limit.
 */
export class Runner {
  readonly #cells: Cells;
  readonly #databases: TracedDatabases;
  readonly #deadlines = createDeadlines(ANSWER_MS);
  readonly #unwatched = createDeadlines(UNWATCHED_MS);

  constructor({ cells, databases }: { cells: Cells; databases: TracedDatabases }) {
    this.#cells = cells;
    this.#databases = databases;
  }

  async run(entry: PoolEntry, call: CallRequest, tries = 1): Promise<RunAnswer | Failure> {
    let cell: Cell;
    try {
      const acquired = this.#cells.pool.acquire(entry, call.isUpgrade);
      // A cell that is ready is counted as busy in the same turn. Otherwise it could be taken for idle and stopped.
      cell = acquired instanceof Promise ? await waitForCell(acquired) : acquired;
    } catch (error) {
      return startFailure(error);
    }
    if (cell.inFlight >= MAX_CALLS_PER_CELL) return BUSY;
    if (cell.countCalls(call.source) >= MAX_CALLS_PER_CALLER) return CALLER_BUSY;
    if (call.isUpgrade && cell.sockets.isFull) return NO_ROOM_FOR_SOCKET;
    const aborting = new AbortController();
    try {
      const answer = await this.#fetch(cell, call, aborting);
      return answer.socket ? this.#bridge(answer, answer.socket, cell) : answer;
    } catch (error) {
      if (aborting.signal.reason === LATE) return lateFailure(cell);
      if (aborting.signal.aborted) return { status: 499, error: 'The caller left.' };
      if (tries === NEVER_SENT_TRIES || !isNeverSent(error)) return brokenFailure(this.#cells, cell, error);
      // The cell died a moment ago. The call has not started, so the next cell can take it.
      if (!(error instanceof NoTurnError)) {
        cell.kill();
        await cell.exited;
      }
      return this.run(entry, call, tries + 1);
    }
  }

  async #fetch(cell: Cell, call: CallRequest, aborting: AbortController): Promise<SocketAnswer> {
    const { request, body, source } = call;
    const late = () => aborting.abort(LATE);
    let deadline = this.#deadlines.begin(late);
    const onTurn = () => {
      this.#deadlines.end(deadline);
      deadline = this.#deadlines.begin(late);
    };
    const leave = () => aborting.abort();
    let watched: AbortSignal | undefined;
    const unwatched = this.#unwatched.begin(() => {
      watched = request.signal;
      if (watched.aborted) leave();
      else watched.addEventListener('abort', leave);
    });
    try {
      const init = {
        method: request.method,
        headers: requestHeaders(
          request.headers,
          call.address,
          call.isUpgrade ? socketHeaders(call) : call.who,
        ),
        body: body.length > 0 ? (body as Uint8Array<ArrayBuffer>) : null,
        signal: aborting.signal,
      };
      const span = startSpan('cell', 'client');
      const marked = {
        caller: source,
        bodyBytes: body.length,
        trace: call.trace,
        run: call.run,
        traceparent: span?.traceparent,
        isUpgrade: call.isUpgrade,
        onTurn,
      };
      return await (span
        ? this.#fetchTraced(span, call, () => cell.fetch(call.path, init, marked))
        : cell.fetch(call.path, init, marked));
    } finally {
      this.#deadlines.end(deadline);
      this.#unwatched.end(unwatched);
      watched?.removeEventListener('abort', leave);
    }
  }

  #fetchTraced(span: Span, { database }: CallRequest, send: () => Promise<SocketAnswer>) {
    return runResponding(span, send).finally(() => {
      if (database) addDatabaseSpans(span, this.#databases, database);
    });
  }

  #bridge(answer: CellAnswer, socket: CellSocket, cell: Cell): RunAnswer {
    const cause = async () =>
      (await causeOfDeath(this.#cells, cell)) ?? 'The function crashed and was stopped.';
    return { ...answer, bridge: new Bridge(socket, cause) };
  }
}

function waitForCell(acquired: Promise<Cell>): Promise<Cell> {
  const span = startSpan('wait for a cell');
  return span ? runSpan(span, () => acquired) : acquired;
}

/** Why a cell that got the call sent no response. */
export async function brokenFailure(cells: Cells, cell: Cell, cause: unknown): Promise<Failure> {
  if ((cause as { code?: unknown }).code === 'Malformed_HTTP_Response') return BAD_HEADERS;
  const death = await causeOfDeath(cells, cell);
  return { status: 502, error: death ?? 'The function crashed or ended its response early.' };
}

/** Why a cell whose connection broke was ended; undefined if it ended by itself, or lives. */
async function causeOfDeath(cells: Cells, cell: Cell): Promise<string | undefined> {
  // The connection breaks a moment before the process has ended and its reason is known.
  if (!cell.killedFor) await Promise.race([cell.exited, Bun.sleep(END_MS)]);
  return deathText(cell.killedFor, cells.memoryMegabytes);
}

/** True if the call has not started: there was nothing to connect to, or no turn for it. */
export function isNeverSent(error: unknown): boolean {
  if (error instanceof NoTurnError) return true;
  const { code } = error as { code?: unknown };
  return code === 'ENOENT' || code === 'ECONNREFUSED';
}

/**
 * On a busy machine, a call can run out of time before it has used the CPU time that it is allowed. So the log says how
 * much of both a function used that never paused.
 */
function lateFailure({ cpu }: Cell): Failure {
  const error = 'The function did not answer within 30 seconds.';
  const { forMs, cpuMs } = cpu.blocked;
  if (forMs < ANSWER_MS / 2) return { status: 504, error };
  const [ran, got] = [forMs, cpuMs].map((ms) => Math.round(ms / 1000));
  const why = `It was busy all the time: its code ran for ${ran} seconds without a pause, and used the processor for ${got} of them.`;
  return { status: 504, error, logged: `${error} ${why} Look for a loop that does not end.` };
}
