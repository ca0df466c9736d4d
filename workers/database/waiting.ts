/// <reference path="../workerd.d.ts" />

/** What owners have waiting at a host that many share, in workerd: a body is in memory several times until it has been run. */

/** For all that one owner asks at the same time. A script that the server brings may be longer, while nothing else waits. */
export const MAX_WAITING_BYTES = 64 * 1024 * 1024;

const waiting = new Map<string, number>();

/** Answers a request while counting its body, or refuses it. */
export async function counted(request: Request, answer: () => Promise<Response>): Promise<Response> {
  const owner = request.headers.get('x-quire-owner') ?? '';
  const bytes = Number(request.headers.get('content-length') ?? Number.NaN);
  // D1's client and the server always say it.
  if (!Number.isSafeInteger(bytes)) return refusal('A request has to say how long it is: SQLITE_MISUSE', 411);
  const before = waiting.get(owner) ?? 0;
  const isScript = new URL(request.url).pathname === '/import';
  if (bytes > MAX_WAITING_BYTES && !isScript)
    return refusal('The statements and their values are too large: SQLITE_TOOBIG', 413);
  if (before > 0 && before + bytes > MAX_WAITING_BYTES)
    return refusal('Too much is asked of your databases at once. Wait for an answer first: SQLITE_BUSY', 429);
  waiting.set(owner, before + bytes);
  try {
    return await answer();
  } finally {
    const left = (waiting.get(owner) ?? 0) - bytes;
    if (left > 0) waiting.set(owner, left);
    else waiting.delete(owner);
  }
}

function refusal(error: string, status: number): Response {
  return Response.json({ success: false, error }, { status });
}
