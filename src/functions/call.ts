import { BackoffError, type Cell, type Cells, PoolFullError } from '../cells/index.ts';
import { AppError, type Identities, readBody } from '../http/index.ts';
import { limitKey } from '../lib/addresses.ts';
import type { Limit } from '../limits/index.ts';
import { ownHostHeaders, requestHeaders, sandboxedHeaders } from './headers.ts';
import type { FunctionLogs } from './logs.ts';
import type { LiveFunction, Registry } from './registry.ts';
import { limitBody } from './response-body.ts';

export const MAX_CALL_BODY_BYTES = 10 * 1024 * 1024;
const ANSWER_MS = 30_000;
/** An answer this small is taken whole, so that the call is over when it is passed on. */
const SMALL_BYTES = 256 * 1024;
const MAX_CALLS_PER_CELL = 200;

/** A failure as callers of functions hear of it. */
interface Failure {
  status: number;
  error: string;
  headers?: Record<string, string>;
}

/** What a call needs to know of the request besides itself. */
export interface Caller {
  address: string;
  bearer: string | undefined;
}

export interface Calls {
  /** A call through the API: any function by its slug, at the worker's root. */
  atApi(request: Request, slug: string, caller: Caller): Promise<Response>;
  /** A call at the function's own host: any method and path. */
  atOwnHost(request: Request, id: number, caller: Caller): Promise<Response>;
}

export function createCalls(options: {
  cells: Cells;
  registry: Registry;
  identities: Identities;
  logs: FunctionLogs;
  apiLimit: Limit;
  hostLimit: Limit;
  now: () => number;
}): Calls {
  const { cells, registry, identities, logs, now } = options;

  async function answer(
    request: Request,
    limit: Limit,
    find: () => LiveFunction | undefined | Promise<LiveFunction | undefined>,
    caller: Caller,
    style: { path: string; toHeaders(headers: Headers): Headers },
  ): Promise<Response> {
    try {
      await limit.take(limitKey(caller.address));
    } catch (error) {
      return refuse(error);
    }
    const found = await find();
    if (!found || !(found.isPublic || (await isOwner(found, caller)))) {
      return fail({ status: 404, error: 'There is no such function.' });
    }
    return run(found, request, caller, style);
  }

  async function isOwner(found: LiveFunction, { bearer }: Caller): Promise<boolean> {
    const actor = bearer === undefined ? undefined : await identities.byBearer(bearer);
    return actor !== undefined && actor.userId === found.ownerId;
  }

  async function run(
    found: LiveFunction,
    request: Request,
    caller: Caller,
    style: { path: string; toHeaders(headers: Headers): Headers },
  ): Promise<Response> {
    const startedAt = now();
    const note = (status: number, error?: string) => logs.call(found.id, { status, startedAt, error });
    let body: Uint8Array | undefined;
    try {
      body = request.body ? await readBody(request, MAX_CALL_BODY_BYTES) : undefined;
    } catch (error) {
      return refuse(error);
    }
    const result = await reach(found, request, body, caller, style.path);
    if ('error' in result) {
      note(result.status, result.error);
      return fail(result);
    }
    const { response, done } = result;
    if (response.headers.has('x-quire-threw')) {
      done();
      note(500, 'threw an exception');
      return fail({ status: 500, error: 'The function threw an exception' });
    }
    const headers = style.toHeaders(response.headers);
    const { status } = response;
    const isSmall = Number(response.headers.get('content-length') ?? SMALL_BYTES + 1) <= SMALL_BYTES;
    if (!response.body || isSmall) {
      const whole = response.body ? await response.arrayBuffer().catch(() => undefined) : null;
      done();
      if (whole === undefined) {
        note(502, 'broke off its answer');
        return fail({ status: 502, error: 'The function broke off its answer.' });
      }
      note(status);
      return new Response(isBodiless(status) ? null : whole, { status, headers });
    }
    const limited = limitBody(response.body, (error) => {
      done();
      note(status, error);
    });
    return new Response(limited, { status, headers });
  }

  /** Gets an answer's headers out of a cell, within the time allowed. */
  async function reach(
    found: LiveFunction,
    request: Request,
    body: Uint8Array | undefined,
    caller: Caller,
    path: string,
  ): Promise<{ response: Response; done(): void } | Failure> {
    let cell: Cell;
    try {
      cell = await cells.pool.acquire(found.entry);
    } catch (error) {
      return toFailure(error);
    }
    if (cell.inFlight >= MAX_CALLS_PER_CELL) {
      return {
        status: 503,
        error: 'The function has too many calls at once.',
        headers: { 'retry-after': '1' },
      };
    }
    cell.inFlight++;
    cell.lastUsedAt = Date.now();
    const done = () => {
      cell.inFlight--;
      cell.lastUsedAt = Date.now();
    };
    const aborting = new AbortController();
    let isLate = false;
    const deadline = setTimeout(() => {
      isLate = true;
      aborting.abort();
    }, ANSWER_MS);
    const leave = () => aborting.abort();
    request.signal.addEventListener('abort', leave);
    try {
      const response = await cell.fetch(path, {
        method: request.method,
        headers: requestHeaders(request.headers, caller.address),
        ...(body && body.length > 0 && { body: body as Uint8Array<ArrayBuffer> }),
        signal: aborting.signal,
      });
      return { response, done };
    } catch (error) {
      done();
      if (isLate) return { status: 504, error: 'The function did not answer within 30 seconds.' };
      return crashed(cell, error);
    } finally {
      clearTimeout(deadline);
      request.signal.removeEventListener('abort', leave);
    }
  }

  return {
    atApi(request, slug, caller) {
      const { search } = new URL(request.url);
      const style = { path: `/${search}`, toHeaders: sandboxedHeaders };
      return answer(request, options.apiLimit, () => registry.bySlug(slug), caller, style);
    },
    atOwnHost(request, id, caller) {
      const { pathname, search } = new URL(request.url);
      const style = { path: pathname + search, toHeaders: ownHostHeaders };
      return answer(request, options.hostLimit, () => registry.byId(id), caller, style);
    },
  };
}

function crashed(cell: Cell, _cause: unknown): Failure {
  if (cell.killedFor === 'cpu')
    return { status: 502, error: 'The function was stopped: it used the processor for too long.' };
  if (cell.killedFor === 'memory')
    return { status: 502, error: 'The function was stopped: it used too much memory.' };
  return { status: 502, error: 'The function crashed.' };
}

function toFailure(error: unknown): Failure {
  if (error instanceof BackoffError) {
    return {
      status: 503,
      error: 'The function keeps crashing and rests for a moment.',
      headers: { 'retry-after': String(error.seconds) },
    };
  }
  if (error instanceof PoolFullError) {
    return {
      status: 503,
      error: 'All places for functions are taken right now.',
      headers: { 'retry-after': '1' },
    };
  }
  return { status: 502, error: 'The function could not be started.' };
}

/** Refusals of the floor, in the shape of function calls. */
function refuse(error: unknown): Response {
  if (!(error instanceof AppError)) throw error;
  const message = error.code === 'RATE_LIMITED' ? 'rate_limited' : error.message;
  return fail({ status: error.status, error: message, headers: error.headers });
}

function fail({ status, error, headers }: Failure): Response {
  return Response.json(
    { success: false, error },
    {
      status,
      headers: {
        ...headers,
        'access-control-allow-origin': '*',
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
      },
    },
  );
}

function isBodiless(status: number): boolean {
  return status === 204 || status === 205 || status === 304;
}
