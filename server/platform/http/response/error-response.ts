import { type AppError, toFailure } from '../../../lib/errors.ts';
import { errorScreen } from '../../screens/index.ts';
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
}): RespondToError {
  const { baseUrl, log, translate } = options;
  return async (error, { request, requestId, as, toBody, headers }) => {
    const failure = toFailure(error, translate, requestId);
    if (failure.status >= 500) log.error({ requestId, err: error }, 'request failed');
    const response =
      as === 'json'
        ? await sendJson(failure.status, toBody?.(failure) ?? failure.toBody(), null)
        : await errorScreen(failure, baseUrl, { requestId, method: request.method });
    return withHeaders(response, { ...failure.headers, ...headers });
  };
}

/** Sets headers on a response; `vary` is added to the existing value. */
export function withHeaders(response: Response, headers: Record<string, string>): Response {
  for (const [name, value] of Object.entries(headers)) {
    if (name === 'vary') response.headers.append(name, value);
    else response.headers.set(name, value);
  }
  return response;
}
