import { useEffect, useRef, useState } from 'preact/hooks';
import { request } from '../../../api.ts';
import type { CollectionPlace, DataRecord } from '../api.ts';

/** What happens in a collection while one looks at it. */
export type LiveEvent = { type: 'created' | 'updated'; record: DataRecord } | { type: 'deleted'; id: string };

export type LiveState = 'connecting' | 'live' | 'off';

const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 30_000;

/** Follows a collection. `onGap` is called when something may have been missed. */
export function useLive(
  place: CollectionPlace,
  handlers: { onEvent: (event: LiveEvent) => void; onGap: () => void },
): LiveState {
  const [state, setState] = useState<LiveState>('connecting');
  const latest = useRef(handlers);
  latest.current = handlers;

  useEffect(() => {
    const { signal, abort } = openAbort();
    void follow();
    return abort;

    async function follow(): Promise<void> {
      let waitMs = FIRST_WAIT_MS;
      let hasBeenLive = false;
      while (!signal.aborted) {
        const outcome = await listen(place, signal, (name, data) => {
          if (name !== 'open') return latest.current.onEvent(data as LiveEvent);
          setState('live');
          if (hasBeenLive) latest.current.onGap();
          hasBeenLive = true;
          waitMs = FIRST_WAIT_MS;
        });
        if (signal.aborted) return;
        if (outcome === 'refused') return setState('off');
        setState('connecting');
        await pause(waitMs, signal);
        waitMs = Math.min(2 * waitMs, LONGEST_WAIT_MS);
      }
    }
  }, [place.pageId, place.type, place.collection]);
  return state;
}

/** One connection, until it breaks or is refused. A browser's own EventSource could not send the token. */
async function listen(
  { pageId, collection }: CollectionPlace,
  signal: AbortSignal,
  tell: (name: string, data: unknown) => void,
): Promise<'broken' | 'refused'> {
  try {
    const path = `/api/pages/${pageId}/events?collections=${encodeURIComponent(collection)}`;
    const response = await request('GET', path, { signal });
    if (!response.ok || !response.body) {
      return response.status >= 500 || response.status === 429 ? 'broken' : 'refused';
    }
    for await (const { name, data } of eventsOf(response.body)) {
      if (name !== 'reset') tell(name, JSON.parse(data));
    }
  } catch {
    // The connection broke; whoever asked tries again.
  }
  return 'broken';
}

async function* eventsOf(body: ReadableStream<Uint8Array>): AsyncGenerator<{ name: string; data: string }> {
  const reader = body
    .pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>)
    .getReader();
  let held = '';
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const blocks = (held + value).split('\n\n');
    held = blocks.pop() ?? '';
    for (const block of blocks) {
      const lines = block.split('\n');
      const read = (field: string) =>
        lines.find((line) => line.startsWith(`${field}: `))?.slice(field.length + 2);
      const data = read('data');
      if (data !== undefined) yield { name: read('event') ?? 'message', data };
    }
  }
}

function openAbort() {
  const controller = new AbortController();
  return { signal: controller.signal, abort: () => controller.abort() };
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
