import { type AppError, toFailure } from '../../../lib/errors.ts';
import { errorScreen } from '../../screens/index.ts';
import type { Log } from '../log.ts';
import { sendJson } from './json-response.ts';

/** Who reads the response to a request that failed, and what goes with it. */
export interface FailedRequest {
  request: Request;
  requestId: string;
  /** Programs read JSON, people read a screen. */
  as: 'json' | 'screen';
  /** The body of a JSON response, where an endpoint has a shape of its own. */
  toBody?: ((failure: AppError) => Record<string, unknown>) | undefined;
  /** Sent besides those of the failure itself. */
  headers?: Record<string, string> | undefined;
}

/** Turns any error into a response. Nothing else in the service does. */
export type RespondToError = (error: unknown, failed: FailedRequest) => Promise<Response>;

export function createRespondToError(options: {
  baseUrl: string;
  log: Log;
  /** Turns a known failure of the platform, such as a full disk, into one that callers may read. */
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

/** Adds headers to a response; `vary` is added to what it has. */
export function withHeaders(response: Response, headers: Record<string, string>): Response {
  for (const [name, value] of Object.entries(headers)) {
    if (name === 'vary') response.headers.append(name, value);
    else response.headers.set(name, value);
  }
  return response;
}
