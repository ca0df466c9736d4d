import { jsonInit, request } from '../api.ts';
import { Live } from '../data/live.ts';
import { onWake } from '../data/wake.ts';
import type { Self } from '../self.ts';
import type { Visitor } from '../visitor.ts';
import { LiveQueries, type OnEnd } from './live-queries.ts';

/** The part of the SDK that follows what changes. It is loaded when the page uses it. */

const inTab = { onWake, isHidden: () => document.visibilityState === 'hidden' };

/** Follows the changes of collections. */
export function followChanges({ api }: Self, visitor: Visitor): Live {
  return new Live({
    ...inTab,
    open: (collections, lastEventId, signal) =>
      request(`${api}/events?collections=${collections.join(',')}`, {
        signal,
        headers: { accept: 'text/event-stream', ...(lastEventId && { 'last-event-id': lastEventId }) },
      }),
    // The rules of collections may have changed.
    onReset: () => visitor.ask().then(ignore, ignore),
  });
}

function ignore(): void {}

/** The response to a query. */
export type ListPage = Pick<Quire.Found, 'records' | 'total' | 'limit' | 'offset' | 'hasMore'>;

/** What has changed in a list. */
interface ListChanges extends Pick<ListPage, 'total' | 'hasMore'> {
  from: string;
  removed: string[];
  put: Array<{ at: number; record: Quire.StoredRecord }>;
}

let lists: LiveQueries<ListPage> | undefined;

/** Follows a list of records. */
export function followList(
  self: Self,
  asked: { collection: string; query: Omit<Quire.Query, 'search'> & { q: string | undefined } },
  onAnswer: (page: ListPage) => void,
  onEnd: OnEnd,
): () => void {
  lists ??= new LiveQueries({
    ...inTab,
    open: (asked, signal) => open(`${self.api}/live-lists`, { lists: asked }, signal),
    apply: (event, before) => applyToList(event as ListPage | ListChanges, before),
  });
  const give = ({ records, total, limit, offset, hasMore }: ListPage) =>
    // Each gets an array of its own, because pages change what they get.
    onAnswer({ records: structuredClone(records), total, limit, offset, hasMore });
  return lists.follow(asked, { onAnswer: give, onEnd });
}

let calls: LiveQueries<unknown> | undefined;

/** Follows what a function answers. */
export function followCall(
  self: Self,
  asked: { function: string; body: unknown },
  onAnswer: (result: never) => void,
  onEnd: OnEnd,
): () => void {
  calls ??= new LiveQueries({
    ...inTab,
    open: (asked, signal) => open(`${self.api}/live-calls`, { calls: asked }, signal),
    apply: (event) => (event as { result: unknown }).result,
  });
  // Each gets a value of its own, because pages change what they get.
  return calls.follow(asked, { onAnswer: (result) => onAnswer(structuredClone(result) as never), onEnd });
}

export function applyToList(event: ListPage | ListChanges, before: ListPage | undefined): ListPage {
  if (!('from' in event) || !before) return event as ListPage;
  const removed = new Set(event.removed);
  const records = before.records.filter(({ id }) => !removed.has(id));
  for (const { at, record } of event.put) records.splice(at, records[at]?.id === record.id ? 1 : 0, record);
  return { ...before, records, total: event.total, hasMore: event.hasMore };
}

function open(url: string, body: object, signal: AbortSignal): Promise<Response> {
  return request(url, jsonInit('POST', body, signal));
}
