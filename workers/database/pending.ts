import { DATABASE_HEADERS, DATABASE_PATHS, MAX_PENDING_BYTES } from '../protocol.ts';
import { failure } from './failures.ts';
import { parseTarget } from './target.ts';

const TOO_MUCH_PENDING =
  'Your databases have too many requests at once. Wait for a response first: SQLITE_BUSY';

/** The bytes of requests that each owner has pending at a shared host: a body is in memory several times until it ran. */
const pending = new Map<string, number>();

/** Counts the body of a request while `respond` runs, or refuses the request. */
export async function withinLimit(request: Request, respond: () => Promise<Response>): Promise<Response> {
  const owner = request.headers.get(DATABASE_HEADERS.owner) ?? '';
  const bytes = Number(request.headers.get('content-length') ?? Number.NaN);
  // The D1 client and the server always send the length.
  if (!Number.isSafeInteger(bytes))
    return failure(411, 'A request must have a Content-Length: SQLITE_MISUSE');
  // The server may send a longer script while nothing else is pending.
  const isScript = parseTarget(request).pathname === DATABASE_PATHS.import;
  if (bytes > MAX_PENDING_BYTES && !isScript)
    return failure(413, 'The statements and their values are too large: SQLITE_TOOBIG');
  if ((pending.get(owner) ?? 0) > 0 && !fits(owner, bytes)) return failure(429, TOO_MUCH_PENDING);
  add(owner, bytes);
  try {
    return await respond();
  } finally {
    add(owner, -bytes);
  }
}

/** Counts what an open transaction keeps of its owner's statements. A difference below 0 is what it no longer keeps. */
export function countPending(owner: string, difference: number): void {
  if (difference > 0 && !fits(owner, difference)) throw new Error(TOO_MUCH_PENDING);
  add(owner, difference);
}

const fits = (owner: string, bytes: number) => (pending.get(owner) ?? 0) + bytes <= MAX_PENDING_BYTES;

function add(owner: string, bytes: number): void {
  const sum = (pending.get(owner) ?? 0) + bytes;
  if (sum > 0) pending.set(owner, sum);
  else pending.delete(owner);
}
