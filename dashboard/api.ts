import { signal } from '@preact/signals';
import type { SessionToken } from '../contract/accounts/accounts.ts';
import { sessionEndpoints } from '../contract/accounts/session-endpoints.ts';
import { type Arguments, buildPath, type CallInput, type Responded } from '../contract/call.ts';
import type { Endpoint, MaybeSchema } from '../contract/endpoint.ts';
import type { ErrorBody } from '../contract/error-body.ts';
import type { Fault } from '../contract/errors.ts';
import { loadErrorTexts, sayFault, sayMessage, t } from './texts/index.ts';

/**
 * All calls from the dashboard to the service. They use the public API with a bearer token that is valid for ten
 * minutes, which the login cookie is exchanged for. The token exists only here, in memory.
 */

/** An error response of the API. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly details: Fault[] = [],
    /** The whole response body, for the few errors with further fields. */
    readonly body: Partial<ErrorBody> = {},
  ) {
    super(message);
  }
}

/** True if the last call could not reach the service. */
export const isOffline = signal(false);
/** True if the notice at the top of every screen already reports this error: no connection, or no login. */
export const isShownByNotice = (error: unknown) =>
  error instanceof ApiError && (error.code === 'OFFLINE' || error.code === 'LOGGED_OUT');

/** Whether a call failed because the service could not be reached. It may have arrived although no response did. */
export const isUnreachable = (error: unknown) => error instanceof ApiError && error.code === 'OFFLINE';

/** How often to try again while this device has a network and the service does not answer. */
const TRY_EVERY_MS = 5_000;

/** Resolves when it is worth trying again: when this device is online, or after a while if it says that it is. */
export function untilOnline(): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearInterval(timer);
      removeEventListener('online', done);
      resolve();
    };
    const timer = setInterval(() => navigator.onLine && done(), TRY_EVERY_MS);
    addEventListener('online', done);
  });
}

/** True after the login has ended. Calls fail until the person logs in again. */
export const isLoggedOut = signal(false);

const NO_CONNECTION = t('Cannot reach the service. Check your connection. Your changes are still here.');
const LOGGED_OUT = t(
  'You are logged out. Log in in another tab, then try again. Your changes are still here.',
);
const UPLOAD_FAILED = t(
  'The upload failed. Check your connection, and that the files did not change on your disk. Then try again.',
);
/** Request a new token this long before the old one expires. */
const RENEW_BEFORE_MS = 60_000;

interface Token {
  value: string;
  scopes: string[];
  renewAt: number;
}

let token: Promise<Token> | undefined;

/** The scopes of the token. Administrators have `admin`. */
export async function scopes(): Promise<string[]> {
  return (await currentToken()).scopes;
}

function forgetToken(): void {
  token = undefined;
}

/** What a client adds to a call. */
interface CallOptions {
  signal?: AbortSignal | undefined;
  /** How long the token must be valid, for work that goes on after the request is sent. */
  validForMs?: number;
  /** A body that is not JSON. */
  raw?: { body: BodyInit; type: string };
  /** The query of an endpoint that passes it on, as it is in the address. */
  search?: string;
}

type Target = Pick<Endpoint, 'method' | 'path'>;
type Sent = {
  params?: Record<string, string | number | boolean>;
  query?: object;
  body?: unknown;
} & CallOptions;

/** A response without its message about success, which is in English. The dashboard has its own, with `t`. */
export type WithoutMessage<Answer> = Answer extends { success: true; message: string }
  ? Omit<Answer, 'message'>
  : Answer;

/** Calls an endpoint and returns its JSON. Throws an `ApiError` unless it succeeds. */
export async function call<
  Params extends MaybeSchema,
  Query extends MaybeSchema,
  Body extends MaybeSchema,
  Answer extends MaybeSchema,
>(
  endpoint: Endpoint<Params, Query, Body, Answer>,
  ...[given]: Arguments<CallInput<Params, Query, Body> & CallOptions>
): Promise<WithoutMessage<Responded<Answer>>> {
  return readJson(await sendWithToken(endpoint, given));
}

/** Calls an endpoint and returns the whole response, whose body is streamed or is not JSON. */
export function request<
  Params extends MaybeSchema,
  Query extends MaybeSchema,
  Body extends MaybeSchema,
  Answer extends MaybeSchema,
>(
  endpoint: Endpoint<Params, Query, Body, Answer>,
  ...[given]: Arguments<CallInput<Params, Query, Body> & CallOptions>
): Promise<Response> {
  return sendWithToken(endpoint, given);
}

interface UploadOptions {
  onProgress?: ((sent: number, total: number) => void) | undefined;
  signal?: AbortSignal | undefined;
}

/** Sends a large body and reports progress, which `fetch` cannot do. */
export async function upload<
  Params extends MaybeSchema,
  Query extends MaybeSchema,
  Answer extends MaybeSchema,
>(
  endpoint: Endpoint<Params, Query, undefined, Answer>,
  given: CallInput<Params, Query, undefined> & UploadOptions,
  body: FormData | Blob,
): Promise<WithoutMessage<Responded<Answer>>> {
  const response = await sendWithProgress(endpoint, given, body, await currentToken());
  if (!response.ok) throw await toApiError(response);
  return readJson(response);
}

const readJson = async <Answer>(response: Response) =>
  (response.status === 204 ? undefined : await response.json()) as Answer;

async function sendWithToken(target: Target, sent: Sent = {}): Promise<Response> {
  let response = await send(target, sent, await currentToken(sent.validForMs));
  if (response.status === 401) {
    // The token may have been revoked, or this machine's clock may be wrong. Try once with a new token.
    forgetToken();
    response = await send(target, sent, await currentToken());
  }
  if (!response.ok) throw await toApiError(response);
  return response;
}

function sendWithProgress(
  target: Target,
  { onProgress, signal, ...given }: Sent & UploadOptions,
  body: FormData | Blob,
  { value }: Token,
): Promise<Response> {
  return new Promise((resolve, reject) => {
    const sending = new XMLHttpRequest();
    const abort = () => sending.abort();
    sending.open(target.method, buildPath(target, given));
    sending.setRequestHeader('authorization', `Bearer ${value}`);
    sending.upload.onprogress = ({ loaded, total }) => onProgress?.(loaded, total);
    sending.onload = () => resolve(new Response(sending.responseText, { status: sending.status }));
    sending.onerror = () => reject(new Error(UPLOAD_FAILED));
    sending.onabort = () => reject(new DOMException(t('The upload was canceled.'), 'AbortError'));
    sending.onloadend = () => signal?.removeEventListener('abort', abort);
    signal?.addEventListener('abort', abort);
    sending.send(body);
  });
}

/** Turns an error response into the error to throw. */
async function toApiError(response: Response): Promise<ApiError> {
  const body = (await response.json().catch(() => ({}))) as Partial<ErrorBody>;
  await loadErrorTexts();
  const details = (Array.isArray(body.details) ? body.details : []).map((fault) => ({
    path: fault.path,
    message: sayFault(fault),
  }));
  const { error } = body;
  const message =
    inWords(details) ??
    (typeof error === 'string'
      ? sayMessage({ ...body, error })
      : t('The service responded with status {status}.', { status: response.status }));
  return new ApiError(response.status, String(body.code ?? ''), message, details, body);
}

/** Names of fields as they appear on the screen. */
const FIELDS = new Map([
  ['html_content', t('The page')],
  ['name', t('The name')],
  ['description', t('The description')],
  ['slug', t('The slug')],
]);

/** Turns validation errors of known fields into sentences that use the names on the screen. */
function inWords(details: Fault[]): string | undefined {
  if (details.length === 0 || !details.every(({ path }) => FIELDS.has(path))) return undefined;
  return details.map(({ path, message }) => `${FIELDS.get(path)} ${message}.`).join(' ');
}

async function send(target: Target, sent: Sent, { value }: Token): Promise<Response> {
  const { search, signal, raw } = sent;
  const { body, type } =
    sent.body === undefined ? (raw ?? {}) : { body: JSON.stringify(sent.body), type: 'application/json' };
  return reach(buildPath(target, sent) + (search ? `?${search}` : ''), {
    method: target.method,
    headers: { authorization: `Bearer ${value}`, ...(type && { 'content-type': type }) },
    ...(body !== undefined && { body }),
    ...(signal && { signal }),
  });
}

/** Like `fetch`, and keeps `isOffline` up to date. */
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

/** All calls that wait for a token share one exchange. */
function currentToken(validForMs = 0): Promise<Token> {
  token = (token ?? exchange()).then((held) => (held.renewAt > Date.now() + validForMs ? held : exchange()));
  token.catch(forgetToken);
  return token;
}

async function exchange(): Promise<Token> {
  const { method, path } = sessionEndpoints.createSessionToken;
  const response = await reach(path, { method });
  if (response.status === 401) {
    isLoggedOut.value = true;
    throw new ApiError(401, 'LOGGED_OUT', LOGGED_OUT);
  }
  if (!response.ok) throw await toApiError(response);
  isLoggedOut.value = false;
  const { accessToken, expiresIn, scopes } = (await response.json()) as SessionToken;
  return { value: accessToken, scopes, renewAt: Date.now() + expiresIn * 1000 - RENEW_BEFORE_MS };
}
