import { functionEndpoints } from '../../../contract/functions/endpoints.ts';
import type { LogEntry } from '../../../contract/functions/functions.ts';
import { MAX_LOG_ENTRIES } from '../../../contract/rules/limits.ts';
import { request } from '../../api.ts';
import { followEvents } from '../../events.ts';

export type { LogEntry };

/** The state of the connection. */
export type Connection = 'connecting' | 'live' | 'waiting';

interface Listener {
  onEntries: (entries: LogEntry[]) => void;
  onConnection: (connection: Connection) => void;
  /** The service refused the request. It is not tried again. */
  onRefused: (error: Error) => void;
}

const FIRST_ENTRIES = 500;

/** Follows the log of a function: first the existing entries, then new ones, each of them once. */
export function followLogs(slug: string, listener: Listener): () => void {
  const stopping = new AbortController();
  let last: LogEntry | undefined;
  listener.onConnection('connecting');
  followEvents({
    connect: (signal) => {
      const from = last
        ? // After the connection was lost: all entries that the service keeps.
          { limit: MAX_LOG_ENTRIES, since: last.timestamp }
        : { limit: FIRST_ENTRIES };
      const query = { follow: 'true', ...from } as const;
      return request(functionEndpoints.listFunctionLogs, { params: { slug }, query, signal });
    },
    signal: stopping.signal,
    onOpen: () => listener.onConnection('live'),
    onLost: () => listener.onConnection('waiting'),
    onEvents(events) {
      const entries = events.map(({ data }) => data as LogEntry);
      const fresh = entries.filter(({ id }) => id > (last?.id ?? 0));
      if (fresh.length === 0) return;
      last = fresh.at(-1);
      listener.onEntries(fresh);
    },
  }).catch(listener.onRefused);
  return () => stopping.abort();
}
