import { signal } from '@preact/signals';

/**
 * The only way from the dashboard to the service: the public API, with a bearer token of ten minutes that the login
 * cookie was exchanged for. It is kept here, in memory, and nowhere else.
 */

/** A refusal of the service, in its own words. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly details: Array<{ path: string; message: string }> = [],
    /** The whole answer, for the few refusals that say more. */
    readonly body: Record<string, unknown> = {},
  ) {
    super(message);
  }
}

/** Whether the service can be reached, as far as the last call tells. */
export const isOffline = signal(false);
/** Whether a call failed for what the frame of the dashboard already tells: no connection, or no login. */
export const isToldByFrame = (error: unknown) =>
  error instanceof ApiError && (error.code === 'OFFLINE' || error.code === 'LOGGED_OUT');

/** True once the login has ended; nothing works until the person has logged in again. */
export const isLoggedOut = signal(false);

const NO_CONNECTION = 'The service cannot be reached. Check your connection; nothing you typed is lost.';
const LOGGED_OUT = 'You are logged out. Log in in another tab, then try again; what you typed is kept.';
/** Ask for a new token this long before the old one ends. */
const RENEW_BEFORE_MS = 60_000;

interface Token {
  value: string;
  scopes: string[];
  renewAt: number;
}

let token: Promise<Token> | undefined;

/** What the token may do; administrators have `admin`. */
export async function scopes(): Promise<string[]> {
  return (await currentToken()).scopes;
}

/** What a call sends in `authorization`, for the few that `fetch` is not enough for. */
export async function bearer(): Promise<string> {
  return `Bearer ${(await currentToken()).value}`;
}

function forgetToken(): void {
  token = undefined;
}

export const api = {
  get: <Answer>(path: string, options?: CallOptions) => call<Answer>('GET', path, options),
  post: <Answer>(path: string, json?: unknown, options?: CallOptions) =>
    call<Answer>('POST', path, { json, ...options }),
  put: <Answer>(path: string, json?: unknown) => call<Answer>('PUT', path, { json }),
  patch: <Answer>(path: string, json?: unknown) => call<Answer>('PATCH', path, { json }),
  delete: <Answer = void>(path: string) => call<Answer>('DELETE', path),
};

interface CallOptions {
  json?: unknown;
  /** A body that is no JSON. */
  body?: BodyInit;
  contentType?: string;
  signal?: AbortSignal;
  /** Never sends it again: a 401 may be an owner's code speaking, and the call may have done its work. */
  isOnce?: boolean;
}

async function call<Answer>(method: string, path: string, options: CallOptions = {}): Promise<Answer> {
  const response = await request(method, path, options);
  if (!response.ok) throw await refusal(response);
  if (response.status === 204) return undefined as Answer;
  return (await response.json()) as Answer;
}

/** The bare answer, whatever its status, for bodies that are streamed or no JSON. */
export async function request(method: string, path: string, options: CallOptions = {}): Promise<Response> {
  const first = await send(method, path, options, await currentToken());
  if (first.status !== 401 || options.isOnce) return first;
  // The token may have been revoked or the clock wrong; one new one is worth a try.
  forgetToken();
  return send(method, path, options, await currentToken());
}

/** Turns an answer that is not ok into what is thrown. */
export async function refusal(response: Response): Promise<ApiError> {
  const body = (await response.json().catch(() => ({}))) as Record<string, unknown>;
  const details = Array.isArray(body.details) ? (body.details as ApiError['details']) : [];
  const message =
    inWords(details) ??
    (typeof body.error === 'string' ? body.error : `The service answered with status ${response.status}.`);
  return new ApiError(response.status, String(body.code ?? ''), message, details, body);
}

/** What people call the fields that they know; others keep the name that they have on the wire. */
const FIELDS = new Map([
  ['html_content', 'The page'],
  ['name', 'The name'],
  ['description', 'The description'],
  ['slug', 'The slug'],
]);

/** Faults of known fields as sentences, without the names on the wire. */
function inWords(details: ApiError['details']): string | undefined {
  if (details.length === 0 || !details.every(({ path }) => FIELDS.has(path))) return undefined;
  return details.map(({ path, message }) => `${FIELDS.get(path)} ${message}.`).join(' ');
}

async function send(method: string, path: string, options: CallOptions, { value }: Token): Promise<Response> {
  const headers: Record<string, string> = { authorization: `Bearer ${value}` };
  if (options.json !== undefined) headers['content-type'] = 'application/json';
  else if (options.contentType) headers['content-type'] = options.contentType;
  const body = options.json === undefined ? options.body : JSON.stringify(options.json);
  return reach(path, {
    method,
    headers,
    ...(body !== undefined && { body }),
    ...(options.signal && { signal: options.signal }),
  });
}

/** `fetch` that knows about being offline. */
async function reach(path: string, init: RequestInit): Promise<Response> {
  try {
    const response = await fetch(path, init);
    isOffline.value = false;
    return response;
  } catch (error) {
    if (init.signal?.aborted) throw error;
    isOffline.value = true;
    throw new ApiError(0, 'OFFLINE', NO_CONNECTION);
  }
}

/** One exchange at a time, however many calls wait for it. */
function currentToken(): Promise<Token> {
  token = (token ?? exchange()).then((held) => (held.renewAt > Date.now() ? held : exchange()));
  token.catch(forgetToken);
  return token;
}

async function exchange(): Promise<Token> {
  const response = await reach('/api/auth/session-token', { method: 'POST' });
  if (response.status === 401) {
    isLoggedOut.value = true;
    throw new ApiError(401, 'LOGGED_OUT', LOGGED_OUT);
  }
  if (!response.ok) throw await refusal(response);
  isLoggedOut.value = false;
  const { accessToken, expiresIn, scopes } = (await response.json()) as {
    accessToken: string;
    expiresIn: number;
    scopes: string[];
  };
  return { value: accessToken, scopes, renewAt: Date.now() + expiresIn * 1000 - RENEW_BEFORE_MS };
}
