import type { z } from 'zod';
import { buildPath, type CallInput } from '../../contract/call.ts';
import type { Endpoint, MaybeSchema } from '../../contract/endpoint.ts';
import { ErrorBody } from '../../contract/error-body.ts';
import { printable } from '../terminal/colours.ts';
import { CommandError, EXIT, toExitCode, UsageError } from '../usage.ts';
import { IdleTimer } from './idle-timer.ts';

/** Long enough for a slow provider or a large page. */
const CALL_MS = 120_000;

/** What every error has. Visitor features and functions add other fields. */
const Refusal = ErrorBody.pick({ error: true }).loose();

/** An error response of the server. */
export class ApiError extends CommandError {
  constructor(
    message: string,
    readonly status: number,
    readonly body: Record<string, unknown>,
  ) {
    super(message, toExitCode(status), { status, ...body });
  }
}

/** A body that is sent while it is read. */
export interface StreamedBody {
  type: string;
  length: number;
  chunks: AsyncIterable<Uint8Array>;
}

/** What a call has besides the fields of its endpoint. */
interface Sending {
  /** For endpoints whose body is not JSON. */
  stream?: StreamedBody;
  headers?: Record<string, string>;
}

/** What an endpoint responds, parsed. */
type Received<Answer> = Answer extends z.ZodType ? z.output<Answer> : undefined;

/** What every endpoint can be given, before its own types are known. */
interface AnyGiven extends Sending {
  params?: Record<string, string | number | boolean>;
  query?: Record<string, unknown>;
  body?: unknown;
}

/** The API of a server, with the token of one user. */
export interface Api {
  baseUrl: string;
  call<
    Params extends MaybeSchema,
    Query extends MaybeSchema,
    Body extends MaybeSchema,
    Answer extends MaybeSchema,
  >(
    endpoint: Endpoint<Params, Query, Body, Answer>,
    given: CallInput<Params, Query, Body> & Sending,
  ): Promise<Received<Answer>>;
  /** A call that returns undefined for 404. */
  find<
    Params extends MaybeSchema,
    Query extends MaybeSchema,
    Body extends MaybeSchema,
    Answer extends MaybeSchema,
  >(
    endpoint: Endpoint<Params, Query, Body, Answer>,
    given: CallInput<Params, Query, Body>,
  ): Promise<Received<Answer> | undefined>;
  /** Calls an endpoint and returns the response, whatever its status. */
  send<Params extends MaybeSchema, Query extends MaybeSchema, Body extends MaybeSchema>(
    endpoint: Endpoint<Params, Query, Body>,
    given: CallInput<Params, Query, Body>,
    init?: RequestInit,
  ): Promise<Response>;
  /** Sends a request to a path that is not an endpoint of the contract. */
  request(method: string, path: string, init?: RequestInit): Promise<Response>;
}

/** The token, or how to get the one that is valid now: a command can run for longer than a token is valid. */
type TokenSource = string | (() => Promise<string>) | undefined;

export function createApi(baseUrl: string, source: TokenSource): Api {
  if (typeof source === 'string') assertSendable(source);
  async function request(method: string, path: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers);
    const token = typeof source === 'function' ? await source() : source;
    if (token) headers.set('authorization', `Bearer ${assertSendable(token)}`);
    try {
      return await fetch(baseUrl + path, { ...init, method, headers, redirect: 'manual' });
    } catch (error) {
      if (init.signal?.aborted && (error as Error).name !== 'TimeoutError') throw error;
      // What is sent could not be read.
      if (error instanceof CommandError) throw error;
      throw unreachable(baseUrl, error);
    }
  }

  function send(endpoint: Endpoint, given: AnyGiven, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers);
    if (given.body !== undefined) headers.set('content-type', 'application/json');
    return request(endpoint.method, buildPath(endpoint, given), {
      ...init,
      headers,
      ...(given.body !== undefined && { body: JSON.stringify(given.body) }),
    });
  }

  async function call(endpoint: Endpoint, given: AnyGiven): Promise<unknown> {
    const { stream, headers } = given;
    const idle = new IdleTimer(CALL_MS);
    const response = await send(endpoint, given, {
      signal: idle.signal,
      headers: {
        ...headers,
        ...(stream && { 'content-type': stream.type, 'content-length': String(stream.length) }),
      },
      ...(stream && { body: idle.watch(stream.chunks) }),
    });
    const text = await response.text().catch((error: unknown) => {
      throw unreachable(baseUrl, error);
    });
    idle.stop();
    return readResponse(endpoint, response, text, baseUrl);
  }

  async function find(endpoint: Endpoint, given: AnyGiven): Promise<unknown> {
    try {
      return await call(endpoint, given);
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) return undefined;
      throw error;
    }
  }

  // The types of `Api` say more than those of its parts: what fits an endpoint.
  return { baseUrl, call, find, send, request } as Api;
}

/** What a newer server may do: have more values, such as roles, and more fields. They are shown as they are. */
const NEWER: readonly string[] = ['invalid_value', 'unrecognized_keys'];

/** The body of a successful response. Throws the server's error message for others. */
export function readResponse<Answer extends MaybeSchema>(
  { method, response: schema }: Endpoint<MaybeSchema, MaybeSchema, MaybeSchema, Answer>,
  response: Response,
  text: string,
  baseUrl: string,
): Received<Answer> {
  if (!response.ok) throw refusal(response, text, baseUrl);
  if (!schema) return undefined as Received<Answer>;
  const read = accept(schema, parseJson(text));
  if (read === undefined) throw notFromQuire(`${method} ${response.url.slice(baseUrl.length)}`, baseUrl);
  return read as Received<Answer>;
}

/** Parses what a server sent; undefined if it is something else. */
export function accept<Schema extends z.ZodType>(
  schema: Schema,
  json: unknown,
): z.output<Schema> | undefined {
  const parsed = schema.safeParse(json);
  if (parsed.success) return parsed.data;
  return parsed.error.issues.every(({ code }) => NEWER.includes(code))
    ? (json as z.output<Schema>)
    : undefined;
}

export function notFromQuire(request: string, baseUrl: string): CommandError {
  return new CommandError(`The response to ${request} is not from Quire. Check the URL ${baseUrl}.`);
}

/** A header cannot contain other characters. Does not show the token. */
function assertSendable(token: string): string {
  if (token === '' || /^[\x21-\x7e]+$/.test(token)) return token;
  throw new UsageError('The token contains invalid characters. Copy it again, or use quire login.');
}

/** The server's own error message. */
export function refusal(response: Response, text: string, baseUrl: string): CommandError {
  const location = response.headers.get('location');
  const target = response.status >= 300 && response.status < 400 && location && URL.parse(location, baseUrl);
  if (target) {
    const { origin } = target;
    return new CommandError(`${baseUrl} redirects to ${origin}. Run quire login ${origin}.`);
  }
  const parsed = Refusal.safeParse(parseJson(text));
  if (parsed.success) return new ApiError(printable(parsed.data.error), response.status, parsed.data);
  return new ApiError(
    `${baseUrl} responded with status ${response.status}. Is this a Quire server?`,
    response.status,
    {},
  );
}

function unreachable(baseUrl: string, error: unknown): CommandError {
  const isLate = (error as Error).name === 'TimeoutError';
  return new CommandError(
    isLate ? `${baseUrl} did not respond in time.` : `Cannot connect to ${baseUrl}.`,
    EXIT.unreachable,
  );
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
