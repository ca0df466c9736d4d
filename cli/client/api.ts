import type { z } from 'zod';
import { ErrorBody } from '../../contract/error-body.ts';
import { printable } from '../terminal/colours.ts';
import { CommandError, EXIT, exitCodeOf, UsageError } from '../usage.ts';
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
    super(message, exitCodeOf(status), { status, ...body });
  }
}

interface CallOptions<Schema extends z.ZodType> {
  body?: unknown;
  /** A body that is sent while it is read, instead of `body`. */
  stream?: { type: string; length: number; chunks: AsyncIterable<Uint8Array> };
  headers?: Record<string, string>;
  /** The schema of the response; without it, the body is ignored. */
  reads?: Schema;
}

/** The API of a server, with the token of one user. */
export interface Api {
  baseUrl: string;
  call<Schema extends z.ZodType = z.ZodUnknown>(
    method: string,
    path: string,
    options?: CallOptions<Schema>,
  ): Promise<z.infer<Schema>>;
  /** A GET that returns undefined for 404. */
  find<Schema extends z.ZodType>(path: string, reads: Schema): Promise<z.infer<Schema> | undefined>;
  /** Sends a request and returns the response, whatever its status. */
  send(method: string, path: string, init?: RequestInit): Promise<Response>;
}

/** The token, or how to get the one that is valid now: a command can run for longer than a token is valid. */
type TokenSource = string | (() => Promise<string>) | undefined;

export function createApi(baseUrl: string, source: TokenSource): Api {
  if (typeof source === 'string') assertSendable(source);
  async function send(method: string, path: string, init: RequestInit = {}): Promise<Response> {
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

  async function call<Schema extends z.ZodType>(
    method: string,
    path: string,
    { body, stream, headers, reads }: CallOptions<Schema> = {},
  ): Promise<z.infer<Schema>> {
    const idle = new IdleTimer(CALL_MS);
    const type = body === undefined ? stream?.type : 'application/json';
    const response = await send(method, path, {
      signal: idle.signal,
      headers: {
        ...headers,
        ...(type !== undefined && { 'content-type': type }),
        ...(stream && { 'content-length': String(stream.length) }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(stream && { body: idle.watch(stream.chunks) }),
    });
    const text = await response.text().catch((error: unknown) => {
      throw unreachable(baseUrl, error);
    });
    idle.stop();
    if (!response.ok) throw refusal(response, text, baseUrl);
    if (!reads) return undefined as z.infer<Schema>;
    const parsed = reads.safeParse(parseJson(text));
    if (parsed.success) return parsed.data;
    throw new CommandError(`The response to ${method} ${path} is not from Quire. Check the URL ${baseUrl}.`);
  }

  return {
    baseUrl,
    call,
    async find(path, reads) {
      try {
        return await call('GET', path, { reads });
      } catch (error) {
        if (error instanceof ApiError && error.status === 404) return undefined;
        throw error;
      }
    },
    send,
  };
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

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
