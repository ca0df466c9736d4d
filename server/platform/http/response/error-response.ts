import { AppError, type PublicError, toFailure } from '../../../lib/errors.ts';
import { makeChallenge } from '../access/challenge.ts';
import { withRequestLanguage } from '../language.ts';
import type { Log } from '../log.ts';
import { sendJson } from './json-response.ts';

/** A failed request, and how to respond to it. */
export interface FailedRequest {
  request: Request;
  requestId: string;
  /** JSON for programs, a screen for people. */
  as: 'json' | 'screen';
  /** Makes the JSON body, if the endpoint has its own shape of errors. */
  toBody?: ((failure: AppError) => Record<string, unknown>) | undefined;
  /** Makes the screen, if it is not the usual one. */
  toScreen?: ((failure: PublicError) => Promise<Response> | undefined) | undefined;
  /** The origin of the page whose own host the request came to, if any. */
  pageOrigin?: string | undefined;
  /** Sent in addition to the error's own headers. */
  headers?: Record<string, string> | undefined;
}

/** Turns any error into a response. This is the only place that does. */
export type RespondToError = (error: unknown, failed: FailedRequest) => Promise<Response>;

export function createRespondToError(options: {
  baseUrl: string;
  log: Log;
  /** Turns a known platform failure, such as a full disk, into an error that callers may see. */
  translate(error: unknown): AppError | undefined;
  /** Makes the usual screen for an error. */
  errorScreen(
    failure: PublicError,
    baseUrl: string,
    failed: { requestId: string; method: string },
  ): Promise<Response>;
}): RespondToError {
  const { baseUrl, log, translate, errorScreen } = options;
  return async (error, { request, requestId, as, toBody, toScreen, headers, pageOrigin }) => {
    const failure = toFailure(error, translate, requestId);
    logFailure(log, failure.status, { requestId, err: error });
    const response =
      as === 'json'
        ? await sendJson(failure.status, buildBody(failure, toBody), null)
        : await withRequestLanguage(
            request,
            () => toScreen?.(failure) ?? errorScreen(failure, baseUrl, { requestId, method: request.method }),
          );
    const challenge = makeChallenge(failure, request.url, { baseUrl, pageOrigin });
    return withHeaders(response, { ...challenge, ...failure.headers, ...headers });
  };
}

function buildBody(failure: PublicError, toBody: FailedRequest['toBody']): Record<string, unknown> {
  return failure instanceof AppError && toBody ? toBody(failure) : failure.toBody();
}

/** Warns if someone else failed, logs an error if we did. Nothing failed if a program is missing (501). */
function logFailure(log: Log, status: number, fields: { requestId: string; err: unknown }): void {
  if (status < 500 || status === 501) return;
  if (status === 502 || status === 504) log.warn(fields, 'request failed at a provider');
  else log.error(fields, 'request failed');
}

/** Sets headers on a response; `vary` is added to the existing value. */
export function withHeaders(response: Response, headers: Record<string, string>): Response {
  for (const [name, value] of Object.entries(headers)) {
    if (name === 'vary') response.headers.append(name, value);
    else response.headers.set(name, value);
  }
  return response;
}
