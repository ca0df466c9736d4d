import { useEffect, useRef, useState } from 'preact/hooks';
import { eventEndpoints } from '../../../../contract/data/endpoints.ts';
import type { RecordChange } from '../../../../contract/data/records.ts';
import { request } from '../../../api.ts';
import { followEvents } from '../../../events.ts';
import type { CollectionTarget } from '../api.ts';

export type LiveState = 'connecting' | 'live' | 'off';

/** Follows the changes in a collection. Calls `onGap` when it may have missed some. */
export function useLive(
  { pageId, type, collection }: CollectionTarget,
  handlers: { onEvent: (event: RecordChange) => void; onGap: () => void },
): LiveState {
  const [state, setState] = useState<LiveState>('connecting');
  const latest = useRef(handlers);
  latest.current = handlers;

  useEffect(() => {
    const stopping = new AbortController();
    let hasBeenLive = false;
    followEvents({
      connect: (signal) =>
        request(eventEndpoints.followRecords, {
          params: { id: pageId },
          query: { collections: collection },
          signal,
        }),
      signal: stopping.signal,
      onOpen() {
        setState('live');
        if (hasBeenLive) latest.current.onGap();
        hasBeenLive = true;
      },
      onLost: () => setState('connecting'),
      onEvents(events) {
        for (const { name, data } of events) {
          if (name === 'message') latest.current.onEvent(data as RecordChange);
          if (name === 'reset') latest.current.onGap();
        }
      },
    }).catch(() => setState('off'));
    return () => stopping.abort();
  }, [pageId, type, collection]);
  return state;
}
