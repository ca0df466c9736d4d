/**
 * How the services in `env` reach the server. They run in the owner's isolate, but owner code cannot reach their binding
 * to the server. The server knows from that binding which function asks.
 */
import hooks from 'node-internal:async_hooks';
import {
  MAX_SERVICE_CHARACTERS,
  MAX_SERVICES_AT_ONCE,
  RUN_HEADER,
  type ServiceName,
  START_RUN,
} from '../protocol.ts';

export interface Inner {
  server: Fetcher;
}

interface ErrorBody {
  error?: string;
  code?: string;
  details?: unknown;
}

// Taken before owner code can replace them.
const { now } = Date;
const { stringify } = JSON;
/** The run that a call is part of, as seen from the code that it calls. */
const runs = new hooks.AsyncLocalStorage<string>();
let inProgress = 0;

/** Makes a service, with which the shim can start calls that are part of a run. */
export function service<Methods extends object>(methods: Methods): Methods {
  Object.defineProperty(methods, Symbol.for(START_RUN), {
    value: <Result>(run: string, call: () => Result) => runs.run(run, call),
  });
  return Object.freeze(methods);
}

/** Asks the server. Returns its response if that is not an error. */
export async function ask(
  { server }: Inner,
  name: ServiceName,
  method: string,
  question: object,
): Promise<Response> {
  const body = stringify(question);
  if (body.length > MAX_SERVICE_CHARACTERS[name]) {
    const error = `This is more than ${MAX_SERVICE_CHARACTERS[name] / 1024} KB as JSON. Send less at once.`;
    throw failure(method, { error, code: 'PAYLOAD_TOO_LARGE' }, undefined);
  }
  // The server has the same limit. Refused here, a thousand calls at once do not open a thousand connections to it.
  // What is published has a pace of its own.
  const counts = name === 'live' ? 0 : 1;
  if (counts > 0 && inProgress >= MAX_SERVICES_AT_ONCE) {
    const error = `This function asks for ${MAX_SERVICES_AT_ONCE} things in env at once, which is the limit. Wait for some of them first.`;
    throw failure(method, { error, code: 'RATE_LIMITED' }, 1);
  }
  inProgress += counts;
  try {
    const run = runs.getStore();
    const headers: HeadersInit = run === undefined ? {} : { [RUN_HEADER]: run };
    const response = await server.fetch(`http://server/${name}`, { method: 'POST', headers, body });
    if (response.ok) return response;
    const refusal = (await response.json().catch(() => ({}))) as ErrorBody;
    throw failure(method, refusal, Number(response.headers.get('retry-after')) || undefined);
  } finally {
    inProgress -= counts;
  }
}

export function failure(
  method: string,
  { error, code = 'UNAVAILABLE', details }: ErrorBody,
  retryAfter: number | undefined,
): Error {
  const text = error ?? 'The server did not respond. Try again in a moment.';
  return Object.assign(new Error(`${method}: ${text}`), {
    code,
    ...(details !== undefined && { details }),
    ...(retryAfter && { retryAfter }),
  });
}

/** Returns how long the next message has to wait. The clock of a function stands still while it computes. */
export function createPace({ perSecond, atOnce }: { perSecond: number; atOnce: number }): () => number {
  let left = atOnce;
  let at = now();
  return () => {
    const time = now();
    left = left + ((time - at) / 1000) * perSecond;
    if (left > atOnce) left = atOnce;
    at = time;
    if (left < 1) return ((1 - left) / perSecond) * 1000;
    left -= 1;
    return 0;
  };
}
