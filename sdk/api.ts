/** What the service says when it refuses: management and data with a sentence and a code, features with a word. */
interface RefusalBody {
  error?: string;
  code?: string;
  message?: string;
  details?: Quire.Failure['details'];
  consent_required?: boolean;
  insufficient_credits?: boolean;
  consentUrl?: string;
}

/** For refusals that come as a word alone. */
const SENTENCES: Record<string, string> = {
  consent_required: 'The visitor has not allowed this page to use credits.',
  insufficient_credits: 'The visitor has not enough credits.',
  provider_error: 'The provider could not answer. Nothing was charged.',
  provider_timeout: 'The provider took too long. Nothing was charged.',
};

/** Makes the error that every failed call rejects with. */
export function failure(
  message: string,
  fields: Pick<Quire.Failure, 'status' | 'code'> & Partial<Quire.Failure>,
): Quire.Failure {
  const { cause, details = [], ...rest } = fields;
  return Object.assign(new Error(message, { cause }), { name: 'QuireError', details, ...rest });
}

/** The error for a refusal that is told by a word alone. */
export function failureOfWord(code: string, status: number): Quire.Failure {
  return failure(SENTENCES[code] ?? `The service answered: ${code}.`, { status, code });
}

/** Calls an endpoint of this page; a refusal rejects with what the service says about it. */
export async function request(url: string, init: RequestInit = {}): Promise<Response> {
  let response: Response;
  try {
    // Read from the window each time: in sandbox isolation the one there shows the page session.
    response = await globalThis.fetch(url, { credentials: 'same-origin', ...init });
  } catch (cause) {
    if (init.signal?.aborted) throw cause;
    throw failure('The service cannot be reached.', { status: 0, code: 'UNREACHABLE', cause });
  }
  if (response.ok) return response;
  throw toFailure(response.status, (await response.json().catch(() => ({}))) as RefusalBody);
}

function toFailure(status: number, body: RefusalBody): Quire.Failure {
  const { error, message, details, consentUrl } = body;
  const more = { ...(details && { details }), ...(consentUrl && { consentUrl }) };
  if (body.code) return failure(error ?? body.code, { status, code: body.code, ...more });
  const flag = (['consent_required', 'insufficient_credits'] as const).find((name) => body[name]);
  const word = flag ?? error;
  if (!word)
    return failure(`The service answered with status ${status}.`, { status, code: `HTTP_${status}` });
  return Object.assign(
    message ? failure(message, { status, code: word }) : failureOfWord(word, status),
    more,
  );
}

/** A request that brings JSON along. */
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
