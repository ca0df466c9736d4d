import type { LiveListsBody } from '../../../contract/data/live-lists.ts';
import type { TestApp, TestUser } from '../app.ts';
import { type Reading, readEvents } from './data.ts';

type Given = { collection: string; query?: Record<string, unknown>; known?: string };
interface Shown {
  records: Array<{ id: string; data: Record<string, unknown> }>;
  total: number;
  hasMore: boolean;
  hash: string;
}

/** A tab with live lists, which keeps them up to date as the SDK does. */
export interface LiveTab {
  reading: Reading;
  /** Each list as it is now, by its place in the request. */
  shown: Map<string, Shown>;
  refused: Map<string, { status: number; code: string; error: string }>;
  /** The events of lists so far, and what each of them brought. */
  events: Array<Record<string, unknown>>;
  /** Waits until this holds. */
  until(holds: (tab: LiveTab) => boolean): Promise<void>;
  /** Waits until a list has these values of `n`, in order. */
  untilShows(values: unknown[], id?: string): Promise<void>;
  close(): void;
}

export function requestLists(
  quire: Pick<TestApp, 'request'>,
  pageId: number,
  lists: Given[],
  user?: TestUser,
): Promise<Response> {
  const body: LiveListsBody = {
    lists: lists.map(({ query = {}, ...list }, at) => ({ id: String(at), query, known: undefined, ...list })),
  };
  return quire.request(`/api/pages/${pageId}/live-lists`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(user && { authorization: `Bearer ${user.token}` }),
    },
    body: JSON.stringify(body),
  });
}

/** `shown` is what the tab has from before. */
export async function openLists(
  quire: Pick<TestApp, 'request'>,
  pageId: number,
  lists: Given[],
  user?: TestUser,
  shown: LiveTab['shown'] = new Map(),
): Promise<LiveTab> {
  const response = await requestLists(quire, pageId, lists, user);
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
  const reading = readEvents(response);
  await reading.until(1, 'open');
  let taken = 0;
  const tab: LiveTab = {
    reading,
    shown,
    refused: new Map(),
    events: [],
    async until(holds) {
      for (;;) {
        const events = reading.events.filter(({ name }) => name === 'message');
        for (; taken < events.length; taken++) take(tab, events[taken]?.data as Record<string, unknown>);
        if (holds(tab)) return;
        await reading.until(taken + 1);
      }
    },
    untilShows: (values, id = '0') =>
      tab.until(({ shown }) => {
        const now = shown.get(id)?.records.map(({ data }) => data.n);
        return JSON.stringify(now) === JSON.stringify(values);
      }),
    close: () => reading.close(),
  };
  return tab;
}

function take({ shown, refused, events }: LiveTab, event: Record<string, unknown>): void {
  events.push(event);
  const id = String(event.id);
  if ('error' in event) return void refused.set(id, event as never);
  if (!('from' in event)) return void shown.set(id, structuredClone(event) as unknown as Shown);
  const list = shown.get(id);
  if (!list || list.hash !== event.from) throw new Error('a change of a list that the tab does not have');
  const removed = new Set(event.removed as string[]);
  list.records = list.records.filter((record) => !removed.has(record.id));
  for (const { at, record } of event.put as Array<{ at: number; record: Shown['records'][number] }>)
    list.records.splice(at, list.records[at]?.id === record.id ? 1 : 0, record);
  Object.assign(list, { hash: event.hash, total: event.total, hasMore: event.hasMore });
}
