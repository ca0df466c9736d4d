import { limitKey } from '../../../lib/addresses.ts';
import { createDeadlines } from '../../../lib/deadlines.ts';
import { type AppError, toFailure } from '../../../lib/errors.ts';
import { type Cell, type CellAnswer, type Cells, NoTurnError } from '../../../platform/cells/index.ts';
import type { Limit } from '../../../platform/coordination/limits/index.ts';
import { type Identities, type Log, readBody } from '../../../platform/http/index.ts';
import type { FunctionLogs } from '../logs/logs.ts';
import type { LiveFunction, Registry } from '../registry.ts';
import { deathText, outOfMemoryText } from './deaths.ts';
import { type Failure, fail, MOVING, OUTCOME_UNKNOWN, startFailure, UNKNOWN } from './failures.ts';
import { ownHostHeaders, requestHeaders, sandboxedHeaders } from './headers.ts';
import { limitBody } from './response-body.ts';

const MAX_CALL_BODY_BYTES = 10 * 1024 * 1024;
const ANSWER_MS = 30_000;
const LATE = 'late';
const MAX_CALLS_PER_CELL = 200;
/** Of those, from one address: a client that reads slowly must not keep others from calling. */
const MAX_CALLS_PER_CALLER = 100;
/** How many cells a call tries when they cannot begin it. */
const MAX_TRIES = 3;
/** How long to wait for a cell to end after its connection broke, to learn why. */
const END_MS = 2_000;

/** What a call needs to know of the request besides itself. */
export interface Caller {
  address: string;
  bearer: string | undefined;
  requestId: string;
}

export interface Calls {
  /** A call through the API: any function by its slug, at the worker's root. */
  atApi(request: Request, slug: string, search: string, caller: Caller): Promise<Response>;
  /** A call at the function's own host: any method and path. */
  atOwnHost(request: Request, id: number, path: string, caller: Caller): Promise<Response>;
}

export function createCalls(options: {
  cells: Cells;
  registry: Registry;
  identities: Identities;
  logs: FunctionLogs;
  apiLimit: Limit;
  hostLimit: Limit;
  now: () => number;
  log: Log;
  /** Knows failures of the floor that callers should hear of. */
  translate(error: unknown): AppError | undefined;
}): Calls {
  const { cells, registry, identities, logs, now, log } = options;
  const deadlines = createDeadlines(ANSWER_MS);

  async function answer(
    request: Request,
    limit: Limit,
    find: () => LiveFunction | undefined | Promise<LiveFunction | undefined>,
    caller: Caller,
    style: { path: string; toHeaders(headers: Headers, status: number): Headers },
  ): Promise<Response> {
    try {
      await limit.take(limitKey(caller.address));
      const found = await find();
      if (!found || !(found.isPublic || (await isOwner(found, caller)))) return fail(UNKNOWN);
      return await run(found.id, request, caller, style);
    } catch (error) {
      return refuse(error, caller.requestId);
    }
  }

  async function isOwner(found: LiveFunction, { bearer }: Caller): Promise<boolean> {
    const actor = bearer === undefined ? undefined : await identities.byBearer(bearer);
    return actor !== undefined && actor.userId === found.ownerId;
  }

  async function run(
    id: number,
    request: Request,
    caller: Caller,
    style: { path: string; toHeaders(headers: Headers, status: number): Headers },
  ): Promise<Response> {
    const startedAt = now();
    const note = (status: number, error?: string) => logs.call(id, { status, startedAt, error });
    const body = await readBody(request, MAX_CALL_BODY_BYTES, limitKey(caller.address));
    // Looked up again: while the body came, the function may have been deployed anew or deleted.
    const found = await registry.byId(id);
    if (!found) return fail(UNKNOWN);
    const result = await reach(found, request, body, caller, style.path);
    const give = (failure: Failure) => {
      note(failure.status, failure.error);
      // For the operator: the function is not to blame.
      if (failure.status === 503) {
        const { requestId } = caller;
        log.warn({ requestId, function: id, status: 503, reason: failure.error }, 'call refused');
      }
      return fail(failure);
    };
    if ('error' in result) return give(result);
    const { status, stream } = result;
    const lost = result.threw ? lossOf(result, found) : undefined;
    if (lost) return give(lost);
    if (result.isOutOfMemory) return give({ status: 502, error: outOfMemoryText(cells.memoryMegabytes) });
    if (result.threw) {
      note(500, 'threw an exception');
      return fail({ status: 500, error: 'The function threw an exception' });
    }
    const headers = style.toHeaders(result.headers, status);
    if (request.method === 'HEAD') {
      note(status);
      stream?.done();
      stream?.body.cancel().catch(() => undefined);
      return headOnly(status, headers, result.headers.get('content-length'));
    }
    if (!stream) {
      note(status);
      return new Response(isBodiless(status) ? null : result.whole, { status, headers });
    }
    const limited = limitBody(stream.body, (error) => {
      stream.done();
      note(status, error);
    });
    return new Response(limited, { status, headers });
  }

  /** What is said of a function that threw because of its database. */
  function lossOf(result: CellAnswer, found: LiveFunction): Failure | undefined {
    if (result.isMoving) return MOVING;
    return result.isUnknown || isDatabaseAway(found) ? OUTCOME_UNKNOWN : undefined;
  }

  function isDatabaseAway({ ownerId, hasDatabase }: LiveFunction): boolean {
    return hasDatabase && ownerId !== null && cells.databases.isAway(ownerId);
  }

  /** Gets an answer's headers out of a cell, and a small answer whole, within the time allowed. */
  async function reach(
    found: LiveFunction,
    request: Request,
    body: Uint8Array,
    caller: Caller,
    path: string,
    tries = 1,
  ): Promise<CellAnswer | Failure> {
    let cell: Cell;
    const source = limitKey(caller.address);
    try {
      const acquired = cells.pool.acquire(found.entry);
      // A cell that is ready is counted as busy in the same turn, lest it be taken for idle and stopped.
      cell = acquired instanceof Promise ? await acquired : acquired;
    } catch (error) {
      return startFailure(error);
    }
    if (cell.inFlight >= MAX_CALLS_PER_CELL) {
      return {
        status: 503,
        error: 'The function has too many calls at once. Try again in a moment.',
        headers: { 'retry-after': '1' },
      };
    }
    if (cell.callsOf(source) >= MAX_CALLS_PER_CALLER) {
      return {
        status: 503,
        error: `The function has ${MAX_CALLS_PER_CALLER} calls from your address at once, which is the limit. Try again when some of them have finished.`,
        headers: { 'retry-after': '1' },
      };
    }
    const aborting = new AbortController();
    const late = () => aborting.abort(LATE);
    let deadline = deadlines.begin(late);
    const onTurn = () => {
      deadlines.end(deadline);
      deadline = deadlines.begin(late);
    };
    const leave = () => aborting.abort();
    request.signal.addEventListener('abort', leave);
    try {
      const init = {
        method: request.method,
        headers: requestHeaders(request.headers, caller.address),
        body: body.length > 0 ? (body as Uint8Array<ArrayBuffer>) : null,
        signal: aborting.signal,
      };
      return await cell.fetch(path, init, { caller: source, bodyBytes: body.length, onTurn });
    } catch (error) {
      if (aborting.signal.reason === LATE)
        return { status: 504, error: 'The function did not answer within 30 seconds.' };
      if (aborting.signal.aborted) return { status: 499, error: 'The caller left.' };
      if (tries === MAX_TRIES || !isUnreached(error)) return broken(cell, error);
      // It died a moment ago, and nobody has been told yet. The call has not begun: the next cell can have it.
      if (!(error instanceof NoTurnError)) {
        cell.kill();
        await cell.exited;
      }
      return reach(found, request, body, caller, path, tries + 1);
    } finally {
      deadlines.end(deadline);
      request.signal.removeEventListener('abort', leave);
    }
  }

  /** Why no answer could be had of a cell that was reached. */
  async function broken(cell: Cell, cause: unknown): Promise<Failure> {
    if ((cause as { code?: unknown }).code === 'Malformed_HTTP_Response')
      return {
        status: 502,
        error:
          'The function sent headers that cannot be passed on: there are too many, or they contain invalid characters.',
      };
    // The connection breaks a moment before the process has ended and has said why.
    if (!cell.killedFor) await Promise.race([cell.exited, Bun.sleep(END_MS)]);
    const death = deathText(cell.killedFor, cells.memoryMegabytes);
    return { status: 502, error: death ?? 'The function crashed or broke off its answer.' };
  }

  /** Refusals of the floor, in the shape of function calls. */
  function refuse(error: unknown, requestId: string): Response {
    const failure = toFailure(error, options.translate, requestId);
    if (failure.status >= 500) log.error({ requestId, err: error }, 'call failed');
    const message = failure.code === 'RATE_LIMITED' ? 'rate_limited' : failure.message;
    return fail({ status: failure.status, error: message, headers: failure.headers });
  }

  return {
    atApi(request, slug, search, caller) {
      const style = { path: `/${search}`, toHeaders: sandboxedHeaders };
      return answer(request, options.apiLimit, () => registry.bySlug(slug), caller, style);
    },
    atOwnHost(request, id, path, caller) {
      const style = { path, toHeaders: ownHostHeaders };
      return answer(request, options.hostLimit, () => registry.byId(id), caller, style);
    },
  };
}

/** The answer to HEAD: the length that the function gave, or none. A body that is missing would be one of zero bytes. */
function headOnly(status: number, headers: Headers, length: string | null): Response {
  if (length !== null) headers.set('content-length', length);
  const isUnknown = length === null && !isBodiless(status);
  return new Response(isUnknown ? new ReadableStream() : null, { status, headers });
}

/** True when the call has not begun: there was nobody to connect to, or no turn for it. */
function isUnreached(error: unknown): boolean {
  if (error instanceof NoTurnError) return true;
  const { code } = error as { code?: unknown };
  return code === 'ENOENT' || code === 'ECONNREFUSED';
}

function isBodiless(status: number): boolean {
  return status === 204 || status === 205 || status === 304;
}
