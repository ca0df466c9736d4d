import { ApiError, request } from '../../api.ts';
import { pathOf } from '../api.ts';

/** A call of a function and its result. */
export interface Call {
  id: number;
  query: string;
  body: string;
  durationMs: number;
  outcome: Answer | { failure: string };
}

export interface Answer {
  status: number;
  headers: Array<[name: string, value: string]>;
  /** The body; undefined if it is not text. */
  text: string | undefined;
  bytes: number;
  /** True if the body is longer than `text`. */
  isCut: boolean;
}

/** Longer responses are cut, to keep the browser responsive. */
const MAX_SHOWN_BYTES = 1024 * 1024;
const MAX_CALLS = 20;

let lastId = 0;
/** The last calls of each function, for as long as this window is open. */
const history = new Map<string, Call[]>();

/** What was last typed into the console of each function. */
export const typed = new Map<string, { query: string; body: string }>();

export const callsOf = (slug: string): Call[] => history.get(slug) ?? [];

/** Calls a function as its owner and adds the call to the history. */
export async function callFunction(
  slug: string,
  sent: { query: string; body: string },
  signal: AbortSignal,
): Promise<Call[]> {
  const startedAt = performance.now();
  const outcome = await send(slug, sent, signal).catch((error: Error) => ({
    failure: signal.aborted ? 'You stopped the call.' : messageOf(error),
  }));
  const call = { id: ++lastId, ...sent, durationMs: Math.round(performance.now() - startedAt), outcome };
  const calls = [call, ...callsOf(slug)].slice(0, MAX_CALLS);
  history.set(slug, calls);
  return calls;
}

const messageOf = (error: Error) =>
  error instanceof ApiError ? error.message : 'The connection was lost before the response was complete.';

async function send(
  slug: string,
  { query, body }: { query: string; body: string },
  signal: AbortSignal,
): Promise<Answer> {
  const search = query.trim().replace(/^\?/, '');
  const response = await request('POST', pathOf(slug) + (search && `?${search}`), {
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

/** Reads the start of a body and cancels the rest, because it may be endless. */
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
    // A body that was cut may end in the middle of a character.
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: isCut });
  } catch {
    return undefined;
  }
}

/** Indents JSON. Returns anything else unchanged. */
export function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
