import { callEndpoints } from '../../../contract/functions/call-endpoints.ts';
import type { TestedCall } from '../../../contract/functions/functions.ts';
import { ApiError, call } from '../../api.ts';
import { t } from '../../texts/index.ts';

/** A call of a function and its result. */
export interface Call {
  id: number;
  query: string;
  body: string;
  durationMs: number;
  outcome: CallResponse | { failure: string };
}

export interface CallResponse {
  status: number;
  headers: Array<[name: string, value: string]>;
  /** The body; undefined if it is not text. */
  text: string | undefined;
  bytes: number;
  /** True if the body is longer than `text`. */
  isCut: boolean;
  /** What the function threw, with its stack. */
  exception: string | undefined;
  logs: TestedCall['logs'];
  /** True if the call printed more. */
  areLogsCut: boolean;
}

const MAX_CALLS = 20;

let lastId = 0;
/** The last calls of each function, for as long as this window is open. */
const history = new Map<string, Call[]>();

/** What was last typed into the console of each function. */
export const typed = new Map<string, { query: string; body: string }>();

export const listCalls = (slug: string): Call[] => history.get(slug) ?? [];

/** Calls a function as its owner and adds the call to the history. */
export async function callFunction(
  slug: string,
  sent: { query: string; body: string },
  signal: AbortSignal,
): Promise<Call[]> {
  const startedAt = performance.now();
  const outcome = await send(slug, sent, signal).catch((error: Error) => ({
    failure: signal.aborted ? t('You stopped the call.') : describeError(error),
  }));
  const durationMs = Math.round(performance.now() - startedAt);
  const calls = [{ id: ++lastId, ...sent, durationMs, outcome }, ...listCalls(slug)].slice(0, MAX_CALLS);
  history.set(slug, calls);
  return calls;
}

const describeError = (error: Error) =>
  error instanceof ApiError ? error.message : t('The connection was lost before the response was complete.');

async function send(
  slug: string,
  { query, body }: { query: string; body: string },
  signal: AbortSignal,
): Promise<CallResponse> {
  const tested = await call(callEndpoints.testFunction, {
    params: { slug },
    search: query.trim().replace(/^\?/, ''),
    raw: { body, type: 'application/json' },
    signal,
  });
  const { status, headers, bodyTruncated, exception, logs, logsTruncated } = tested;
  const text = tested.body ?? undefined;
  return {
    status,
    headers: Object.entries(headers),
    text,
    bytes: text === undefined ? atob(tested.bodyBase64 ?? '').length : new Blob([text]).size,
    isCut: bodyTruncated,
    exception: exception?.stack,
    logs,
    areLogsCut: logsTruncated,
  };
}

/** Indents JSON. Returns anything else unchanged. */
export function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
