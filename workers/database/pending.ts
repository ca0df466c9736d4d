import { DATABASE_HEADERS, DATABASE_PATHS, MAX_PENDING_BYTES } from '../protocol.ts';
import { failure } from './failures.ts';
import { parseTarget } from './target.ts';

/** The bytes of requests that each owner has pending at a shared host: a body is in memory several times until it ran. */
const pending = new Map<string, number>();

/** Counts the body of a request while `respond` runs, or refuses the request. */
export async function withinLimit(request: Request, respond: () => Promise<Response>): Promise<Response> {
  const owner = request.headers.get(DATABASE_HEADERS.owner) ?? '';
  const bytes = Number(request.headers.get('content-length') ?? Number.NaN);
  // The D1 client and the server always send the length.
  if (!Number.isSafeInteger(bytes))
    return failure(411, 'A request must have a Content-Length: SQLITE_MISUSE');
  const before = pending.get(owner) ?? 0;
  // The server may send a longer script while nothing else is pending.
  const isScript = parseTarget(request).pathname === DATABASE_PATHS.import;
  if (bytes > MAX_PENDING_BYTES && !isScript)
    return failure(413, 'The statements and their values are too large: SQLITE_TOOBIG');
  if (before > 0 && before + bytes > MAX_PENDING_BYTES)
    return failure(
      429,
      'Your databases have too many requests at once. Wait for a response first: SQLITE_BUSY',
    );
  pending.set(owner, before + bytes);
  try {
    return await respond();
  } finally {
    const left = (pending.get(owner) ?? 0) - bytes;
    if (left > 0) pending.set(owner, left);
    else pending.delete(owner);
  }
}
