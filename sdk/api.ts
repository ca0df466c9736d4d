/** The body of an error response. Data endpoints send a message and a code, features send a code only. */
interface ErrorBody
  extends Partial<Pick<Quire.Failure, 'message' | 'code' | 'details' | 'retryAfter' | 'consentUrl'>> {
  error?: string;
  consent_required?: boolean;
  insufficient_credits?: boolean;
}

/** Messages for codes that come without one. */
const MESSAGES: Record<string, string> = {
  consent_required: 'The visitor has not allowed this page to use credits.',
  insufficient_credits: 'The visitor does not have enough credits.',
  provider_error: 'The provider failed. The visitor was not charged.',
  provider_timeout: 'The provider did not respond in time. The visitor was not charged.',
};

/** Creates the error that every failed call rejects with. */
export function failure(
  message: string,
  fields: Pick<Quire.Failure, 'status' | 'code'> & Partial<Quire.Failure>,
): Quire.Failure {
  const { cause, details = [], ...rest } = fields;
  return Object.assign(new Error(message, { cause }), { name: 'QuireError', details, ...rest });
}

/** Creates the error for a code without a message. */
export function failureOfCode(code: string, status: number): Quire.Failure {
  return failure(MESSAGES[code] ?? `The service responded with the error ${code}.`, { status, code });
}

/** Calls an endpoint of this page. Rejects if the service responds with an error. */
export async function request(url: string, init: RequestInit = {}): Promise<Response> {
  let response: Response;
  try {
    // Read `fetch` from the window each time: in sandbox isolation it is replaced by one that sends the page session.
    response = await globalThis.fetch(url, { credentials: 'same-origin', ...init });
  } catch (cause) {
    if (init.signal?.aborted) throw cause;
    throw failure('Cannot reach the service. Check the connection and try again.', {
      status: 0,
      code: 'UNREACHABLE',
      cause,
    });
  }
  if (response.ok) return response;
  throw toFailure(response.status, (await response.json().catch(() => ({}))) as ErrorBody);
}

function toFailure(status: number, body: ErrorBody): Quire.Failure {
  const { error, message, details, retryAfter, consentUrl } = body;
  const more = {
    ...(details && { details }),
    ...(retryAfter && { retryAfter }),
    ...(consentUrl && { consentUrl }),
  };
  if (body.code) return failure(error ?? body.code, { status, code: body.code, ...more });
  const flag = (['consent_required', 'insufficient_credits'] as const).find((name) => body[name]);
  const code = flag ?? error;
  if (!code)
    return failure(`The service responded with status ${status}.`, { status, code: `HTTP_${status}` });
  return Object.assign(message ? failure(message, { status, code }) : failureOfCode(code, status), more);
}

/** A request with a JSON body. */
export function jsonInit(method: string, body: unknown, signal?: AbortSignal): RequestInit {
  return {
    method,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    ...(signal && { signal }),
  };
}

export async function requestJson<T>(url: string, method = 'GET', body?: unknown): Promise<T> {
  const response = await request(url, body === undefined ? { method } : jsonInit(method, body));
  return (await response.json()) as T;
}
