/**
 * Runs between workerd and an owner's module, in the same isolate. It tells an exception from a response with status
 * 500, and answers the server's questions: what the module exports, and whether its event loop is free.
 */
import { WorkerEntrypoint } from 'cloudflare:workers';
import * as owner from 'function.js';
import { collectGarbage } from './collect-garbage.ts';
import {
  codeIn,
  EXCEPTION_HEADER,
  EXCEPTION_LINE,
  type ExceptionKind,
  PROBE_PATHS,
  type ProbeStatus,
  QUEUE_HEADER,
  RUN_HEADER,
  SCHEDULED_HEADER,
  START_RUN,
  START_TRACE,
  TRACE_HEADER,
  TRACEPARENT_HEADER,
  traceEnd,
  traceMark,
} from './protocol.ts';
import { type Consumer, runQueue } from './queue.ts';
import { runScheduled, type Scheduled } from './scheduled.ts';
import { traced } from './trace.ts';
import { isBufferTooLarge, isCodeGeneration, isDatabaseConnectionLost } from './workerd-messages.ts';

/** Stores what a function puts into `caches`. The configuration of a cell connects both. */
export { FunctionCache } from './cache/function-cache.ts';

interface Handler extends Scheduled, Consumer {
  fetch(request: Request, env: unknown, ctx: ExecutionContext): Promise<Response>;
}
type HandlerClass = new (ctx: ExecutionContext, env: unknown) => Handler;

const handler = owner.default as Handler | HandlerClass | null | undefined;
const handlerClass = isClass(handler) ? handler : undefined;
/** Starts a call so that a binding knows which run or trace it is part of. */
type Start = <Result>(mark: string, call: () => Result) => Result;
const startRun = Symbol.for(START_RUN);
const startTrace = Symbol.for(START_TRACE);
// Taken before owner code can replace them.
const { error: printError } = console;
const { stringify } = JSON;

export default {
  fetch(request: Request, env: unknown, ctx: ExecutionContext): Promise<Response> {
    return respond(request, env, ctx);
  },
};

/** `mark` is what an exception's line begins with. */
async function respond(request: Request, env: unknown, ctx: ExecutionContext, mark = ''): Promise<Response> {
  let target: Handler | undefined;
  try {
    target = targetFor(ctx, env);
    const response: unknown = await target.fetch(request, env, ctx);
    // What workerd would refuse to send is refused here, where it can still be told from a response.
    if (response instanceof Response) {
      if (response.webSocket && !asksForSocket(request))
        throw new TypeError('the caller did not ask for a WebSocket');
      if (response.bodyUsed) throw new TypeError('the body of the Response has been read already');
      return response;
    }
    throw new TypeError(`fetch returned ${response === null ? 'null' : typeof response}, not a Response`);
  } catch (thrown) {
    if (target && target.fetch === undefined) return notCallable();
    return refuse(thrown, mark);
  }
}

function targetFor(ctx: ExecutionContext, env: unknown): Handler {
  return handlerClass ? new handlerClass(ctx, env) : (handler as Handler);
}

/** Added to V8's message, which does not say what to do. */
const ONLY_WHILE_LOADING =
  '. eval, new Function and WebAssembly.compile work only while the module loads: do this at its top level, not in a call.';

function refuse(thrown: unknown, mark: string, body: string | null = null): Response {
  const stack = (thrown as Error | null)?.stack ?? String(thrown);
  const text = isCodeGeneration(thrown) ? String(stack).replace(/\n|$/, `${ONLY_WHILE_LOADING}$&`) : stack;
  printError(mark + EXCEPTION_LINE + text);
  return new Response(body, { status: 500, headers: { [EXCEPTION_HEADER]: classifyException(thrown) } });
}

/** The response to calls of a module that only has `scheduled`. */
function notCallable(): Response {
  const error =
    'This function cannot be called: it has no fetch handler and only runs on its schedules and for its jobs.';
  return Response.json({ success: false, error }, { status: 404 });
}

async function respondScheduled(
  event: string,
  env: unknown,
  ctx: ExecutionContext,
  mark = '',
): Promise<Response> {
  try {
    await runScheduled(event, env, ctx, () => targetFor(ctx, env));
    return new Response(null);
  } catch (thrown) {
    return refuse(thrown, mark);
  }
}

/** The response has a `QueueResult`, also if the handler has thrown. */
async function respondQueue(request: Request, env: unknown, ctx: ExecutionContext): Promise<Response> {
  const { result, thrown } = await runQueue(request, env, ctx, () => targetFor(ctx, env));
  const body = stringify(result);
  return thrown ? refuse(thrown.value, '', body) : new Response(body);
}

/** Whether a request asks for a WebSocket. Only the server can set this header. */
function asksForSocket({ headers }: Request): boolean {
  return headers.get('upgrade') === 'websocket';
}

/** A call whose lines are marked. Owner code gets the request without the mark. */
async function respondTraced(
  id: string,
  request: Request,
  env: unknown,
  ctx: ExecutionContext,
): Promise<Response> {
  const headers = new Headers(request.headers);
  headers.delete(TRACE_HEADER);
  const event = headers.get(SCHEDULED_HEADER);
  const run = () =>
    event === null
      ? respond(new Request(request, { headers }), env, ctx, traceMark(id))
      : respondScheduled(event, env, ctx, traceMark(id));
  try {
    return await traced(id, run);
  } finally {
    printError(traceEnd(id));
  }
}

/** A call that is part of a run. Owner code gets the request without the mark. */
function respondInRun(run: string, request: Request, env: unknown, ctx: ExecutionContext): Promise<Response> {
  const isQueue = request.headers.has(QUEUE_HEADER);
  const headers = new Headers(request.headers);
  headers.delete(RUN_HEADER);
  const marked = new Request(request, { headers });
  return startCall(startRun, run, env, () =>
    isQueue ? respondQueue(marked, env, ctx) : respond(marked, env, ctx),
  );
}

/** Starts a call so that all bindings know which run or trace it is part of. */
function startCall(
  method: symbol,
  mark: string,
  env: unknown,
  respondToCall: () => Promise<Response>,
): Promise<Response> {
  let call = respondToCall;
  for (const binding of Object.values(env as object)) {
    const start = (binding as Record<symbol, Start | undefined> | null)?.[method];
    const next = call;
    if (start) call = () => start(mark, next);
  }
  return call();
}

function isClass(value: typeof handler): value is HandlerClass {
  return typeof value === 'function' && value.prototype instanceof WorkerEntrypoint;
}

function classifyException(thrown: unknown): ExceptionKind {
  const code = codeIn(String((thrown as Error | null)?.message));
  if (code === 'OUTCOME_UNKNOWN' || isDatabaseConnectionLost(thrown)) return 'outcome-unknown';
  if (code === 'UNAVAILABLE') return 'database-unavailable';
  return isBufferTooLarge(thrown) ? 'out-of-memory' : 'exception';
}

export class Probe extends WorkerEntrypoint {
  override fetch(request: Request): Response | Promise<Response> {
    const traceparent = request.headers.get(TRACEPARENT_HEADER);
    if (traceparent === null) return this.#respondMarked(request) ?? this.#answer(request);
    const headers = new Headers(request.headers);
    headers.delete(TRACEPARENT_HEADER);
    const rest = new Request(request, { headers });
    return startCall(
      startTrace,
      traceparent,
      this.env,
      () => this.#respondMarked(rest) ?? respond(rest, this.env, this.ctx),
    );
  }

  /** Responds to a call that has a mark; undefined if it has none. */
  #respondMarked(request: Request): Promise<Response> | undefined {
    const trace = request.headers.get(TRACE_HEADER);
    if (trace !== null) return respondTraced(trace, request, this.env, this.ctx);
    const run = request.headers.get(RUN_HEADER);
    if (run !== null) return respondInRun(run, request, this.env, this.ctx);
    const event = request.headers.get(SCHEDULED_HEADER);
    if (event !== null) return respondScheduled(event, this.env, this.ctx);
    if (request.headers.has(QUEUE_HEADER)) return respondQueue(request, this.env, this.ctx);
    return undefined;
  }

  /** Answers the questions of the server. */
  #answer(request: Request): Response {
    if (new URL(request.url).pathname === PROBE_PATHS.collect) {
      collectGarbage();
      return new Response(null);
    }
    const found = handlerClass ? handlerClass.prototype : (handler as Handler | undefined);
    const status: ProbeStatus = {
      hasDefault: handler !== undefined && handler !== null,
      hasFetch: typeof found?.fetch === 'function',
      hasScheduled: typeof found?.scheduled === 'function',
      hasQueue: typeof found?.queue === 'function',
    };
    return Response.json(status);
  }
}
