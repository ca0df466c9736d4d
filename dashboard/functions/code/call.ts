import { ApiError, request } from '../../api.ts';
import { place } from '../api.ts';

/** A call of a function and what came of it. */
export interface Call {
  id: number;
  /** What was sent. */
  query: string;
  body: string;
  durationMs: number;
  outcome: Answer | { failure: string };
}

export interface Answer {
  status: number;
  headers: Array<[name: string, value: string]>;
  /** The body as text; none when it is no text. */
  text: string | undefined;
  bytes: number;
  /** There was more than is shown. */
  isCut: boolean;
}

/** More of an answer than this helps nobody to read it. */
const MAX_SHOWN_BYTES = 1024 * 1024;
const MAX_CALLS = 20;

let lastId = 0;
/** The last calls of each function, for as long as this window is open. */
const history = new Map<string, Call[]>();

/** What stands in the console of each, called or not. */
export const typed = new Map<string, { query: string; body: string }>();

export const callsOf = (slug: string): Call[] => history.get(slug) ?? [];

/** Calls a function as its owner, and remembers it. */
export async function callFunction(
  slug: string,
  sent: { query: string; body: string },
  signal: AbortSignal,
): Promise<Call[]> {
  const startedAt = performance.now();
  const outcome = await send(slug, sent, signal).catch((error: Error) => ({
    failure: signal.aborted ? 'You stopped waiting for the answer.' : wordsOf(error),
  }));
  const call = { id: ++lastId, ...sent, durationMs: Math.round(performance.now() - startedAt), outcome };
  const calls = [call, ...callsOf(slug)].slice(0, MAX_CALLS);
  history.set(slug, calls);
  return calls;
}

const wordsOf = (error: Error) =>
  error instanceof ApiError ? error.message : 'The answer broke off before its end.';

async function send(
  slug: string,
  { query, body }: { query: string; body: string },
  signal: AbortSignal,
): Promise<Answer> {
  const search = query.trim().replace(/^\?/, '');
  const response = await request('POST', place(slug) + (search && `?${search}`), {
    body,
    contentType: 'application/json',
    signal,
    isOnce: true,
  });
  const { bytes, isCut } = await readSome(response);
  return {
    status: response.status,
    headers: [...response.headers],
    text: toText(bytes, isCut),
    bytes: bytes.length,
    isCut,
  };
}

/** The beginning of a body; an endless one is left alone after that. */
async function readSome(response: Response): Promise<{ bytes: Uint8Array; isCut: boolean }> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  const reader = response.body?.getReader();
  while (reader) {
    const { done, value } = await reader.read();
    if (done) break;
    chunks.push(value);
    size += value.length;
    if (size > MAX_SHOWN_BYTES) {
      void reader.cancel();
      break;
    }
  }
  const bytes = new Uint8Array(await new Blob(chunks).arrayBuffer());
  return { bytes: bytes.subarray(0, MAX_SHOWN_BYTES), isCut: size > MAX_SHOWN_BYTES };
}

function toText(bytes: Uint8Array, isCut: boolean): string | undefined {
  try {
    // What was cut may end inside a character, which is no fault then.
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: isCut });
  } catch {
    return undefined;
  }
}

/** JSON as people read it; anything else as it is. */
export function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
