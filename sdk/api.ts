/** Makes the error that every failed call rejects with. */
function failure(
  message: string,
  fields: { status: number; code: string; details?: Quire.Failure['details']; cause?: unknown },
): Quire.Failure {
  const { status, code, details = [], cause } = fields;
  return Object.assign(new Error(message, { cause }), { name: 'QuireError', status, code, details });
}

/** Calls an endpoint of this page; a refusal rejects with what the service says about it. */
export async function request(url: string, init: RequestInit = {}): Promise<Response> {
  let response: Response;
  try {
    // Read from the window each time: in sandbox isolation the one there shows the page session.
    response = await window.fetch(url, { credentials: 'same-origin', ...init });
  } catch (cause) {
    if (init.signal?.aborted) throw cause;
    throw failure('The service cannot be reached.', { status: 0, code: 'UNREACHABLE', cause });
  }
  if (response.ok) return response;
  const { status } = response;
  const body = (await response.json().catch(() => ({}))) as {
    error?: string;
    code?: string;
    details?: Quire.Failure['details'];
  };
  const { error = `The service answered with status ${status}.`, code = `HTTP_${status}`, details } = body;
  throw failure(error, { status, code, ...(details && { details }) });
}

export async function requestJson<T>(url: string, method = 'GET', body?: unknown): Promise<T> {
  const response = await request(url, {
    method,
    ...(body !== undefined && {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  });
  return (await response.json()) as T;
}
