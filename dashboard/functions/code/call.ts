import { callEndpoints } from '../../../contract/functions/call-endpoints.ts';
import { TEST_AS_PARAM } from '../../../contract/functions/call-tickets.ts';
import type { TestedCall } from '../../../contract/functions/functions.ts';
import { pageEndpoints } from '../../../contract/pages/endpoints.ts';
import { teamEndpoints } from '../../../contract/teams/endpoints.ts';
import { ApiError, call } from '../../api.ts';
import { t } from '../../texts/index.ts';

/** What a call sends. */
export interface Sent {
  query: string;
  body: string;
  /** The visitor of its page for whom a function is called; undefined if it has no page. */
  as: string | undefined;
}

/** A call of a function and its result. */
export interface Call extends Sent {
  id: number;
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
export const typed = new Map<string, Sent>();

export const listCalls = (slug: string): Call[] => history.get(slug) ?? [];

/** The members of the team of a page, without its owner. Empty if it has no team. */
export async function listTeam(id: number, signal: AbortSignal): Promise<string[]> {
  const { storageMode } = await call(pageEndpoints.getPage, { params: { id }, signal });
  if (storageMode !== 'team_app') return [];
  const { members } = await call(teamEndpoints.listMembers, { params: { id }, signal });
  return members.filter(({ role }) => role !== 'owner').map(({ user }) => user.username);
}

/** Calls a function, for its owner or as a visitor, and adds the call to the history. */
export async function callFunction(slug: string, sent: Sent, signal: AbortSignal): Promise<Call[]> {
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

async function send(slug: string, { query, body, as }: Sent, signal: AbortSignal): Promise<CallResponse> {
  const tested = await call(callEndpoints.testFunction, {
    params: { slug },
    search: toSearch(query, as),
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

/** What is typed, and for whom the call is made unless that says so itself. */
export function toSearch(query: string, as: string | undefined): string {
  const text = query.trim().replace(/^\?/, '');
  if (as === undefined || new URLSearchParams(text).has(TEST_AS_PARAM)) return text;
  const named = String(new URLSearchParams({ [TEST_AS_PARAM]: as }));
  return text === '' ? named : `${text}&${named}`;
}

/** Indents JSON. Returns anything else unchanged. */
export function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
