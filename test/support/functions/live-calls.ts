import { type Reading, readEvents } from '../data/data.ts';

interface Given {
  function: string;
  body?: unknown;
  known?: string;
}

/** Who asks, and from where. */
interface From {
  headers?: Record<string, string>;
  host?: string;
  peer?: string;
}
type Asking = Omit<From, 'host'> & { method: string; headers: Record<string, string>; body: string };

/** A tab with live calls. */
export interface CallTab {
  reading: Reading;
  /** What each call answers now, by its place in the request. */
  results: Map<string, unknown>;
  refused: Map<string, { status: number; code: string; error: string }>;
  /** How many results came for each call. */
  counts: Map<string, number>;
  until(holds: (tab: CallTab) => boolean): Promise<void>;
  /** Waits until a call answers this. */
  untilShows(result: unknown, id?: string): Promise<void>;
  close(): void;
}

export function requestCalls(
  quire: { request(path: string, init: Asking): Promise<Response> },
  pageId: number,
  calls: Given[],
  { host = '', headers = {}, ...from }: From = {},
): Promise<Response> {
  return quire.request(`${host}/api/pages/${pageId}/live-calls`, {
    ...from,
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ calls: calls.map((call, at) => ({ id: String(at), body: {}, ...call })) }),
  });
}

export async function openCalls(...given: Parameters<typeof requestCalls>): Promise<CallTab> {
  const response = await requestCalls(...given);
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
  const reading = readEvents(response);
  await reading.until(1, 'open');
  let taken = 0;
  const tab: CallTab = {
    reading,
    results: new Map(),
    refused: new Map(),
    counts: new Map(),
    async until(holds) {
      for (;;) {
        const events = reading.events.filter(({ name }) => name === 'message');
        for (; taken < events.length; taken++) take(tab, events[taken]?.data as Record<string, unknown>);
        if (holds(tab)) return;
        await reading.until(taken + 1);
      }
    },
    untilShows: (result, id = '0') =>
      tab.until(({ results }) => JSON.stringify(results.get(id)) === JSON.stringify(result)),
    close: () => reading.close(),
  };
  return tab;
}

function take({ results, refused, counts }: CallTab, event: Record<string, unknown>): void {
  const id = String(event.id);
  if ('error' in event) return void refused.set(id, event as never);
  results.set(id, event.result);
  counts.set(id, (counts.get(id) ?? 0) + 1);
}
