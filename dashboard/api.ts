import { signal } from '@preact/signals';
import type { SessionToken } from '../contract/accounts/accounts.ts';
import type { ErrorBody } from '../contract/error-body.ts';
import type { Fault } from '../contract/errors.ts';
import { sayMessage, t } from './texts/index.ts';

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
  /** A body that is not JSON. */
  body?: BodyInit;
  contentType?: string;
  signal?: AbortSignal;
  /** How long the token must be valid, for work that goes on after the request is sent. */
  validForMs?: number;
}

/** A response without its message about success, which is in English. The dashboard has its own, with `t`. */
export type WithoutMessage<Answer> = Answer extends { success: true; message: string }
  ? Omit<Answer, 'message'>
  : Answer;

async function call<Answer>(
  method: string,
  path: string,
  options: CallOptions = {},
): Promise<WithoutMessage<Answer>> {
  const response = await request(method, path, options);
  if (!response.ok) throw await toApiError(response);
  if (response.status === 204) return undefined as WithoutMessage<Answer>;
  return (await response.json()) as WithoutMessage<Answer>;
}

/** Returns the response with any status, for bodies that are streamed or are not JSON. */
export async function request(method: string, path: string, options: CallOptions = {}): Promise<Response> {
  const first = await send(method, path, options, await currentToken(options.validForMs));
  if (first.status !== 401) return first;
  // The token may have been revoked, or this machine's clock may be wrong. Try once with a new token.
  forgetToken();
  return send(method, path, options, await currentToken());
}

interface UploadOptions {
  onProgress?: (sent: number, total: number) => void;
  signal?: AbortSignal | undefined;
}

/** Sends a large body and reports progress, which `fetch` cannot do. */
export async function upload<Answer>(
  method: string,
  path: string,
  body: FormData | Blob,
  options: UploadOptions = {},
): Promise<WithoutMessage<Answer>> {
  const response = await sendWithProgress(method, path, body, options, await currentToken());
  if (!response.ok) throw await toApiError(response);
  return (await response.json()) as WithoutMessage<Answer>;
}

function sendWithProgress(
  method: string,
  path: string,
  body: FormData | Blob,
  { onProgress, signal }: UploadOptions,
  { value }: Token,
): Promise<Response> {
  return new Promise((resolve, reject) => {
    const sending = new XMLHttpRequest();
    const abort = () => sending.abort();
    sending.open(method, path);
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
export async function toApiError(response: Response): Promise<ApiError> {
  const body = (await response.json().catch(() => ({}))) as Partial<ErrorBody>;
  const details = Array.isArray(body.details) ? body.details : [];
  const message =
    inWords(details) ??
    (typeof body.error === 'string'
      ? sayMessage(body.error)
      : t('The service responded with status {status}.', { status: response.status }));
  return new ApiError(response.status, String(body.code ?? ''), message, details, body);
}

/** Names of fields as they appear on the screen. They are in English, like what the service says about them. */
const FIELDS = new Map([
  ['html_content', 'The page'],
  ['name', 'The name'],
  ['description', 'The description'],
  ['slug', 'The slug'],
]);

/** Turns validation errors of known fields into sentences that use the names on the screen. */
function inWords(details: Fault[]): string | undefined {
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
  const response = await reach('/api/auth/session-token', { method: 'POST' });
  if (response.status === 401) {
    isLoggedOut.value = true;
    throw new ApiError(401, 'LOGGED_OUT', LOGGED_OUT);
  }
  if (!response.ok) throw await toApiError(response);
  isLoggedOut.value = false;
  const { accessToken, expiresIn, scopes } = (await response.json()) as SessionToken;
  return { value: accessToken, scopes, renewAt: Date.now() + expiresIn * 1000 - RENEW_BEFORE_MS };
}
