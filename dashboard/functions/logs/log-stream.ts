import { followEvents } from '../../events.ts';
import { place } from '../api.ts';

export interface LogEntry {
  id: number;
  timestamp: string;
  kind: 'console' | 'exception' | 'call' | 'system';
  level: string;
  message: string;
  status: number | null;
  durationMs: number | null;
}

/** How the connection stands. */
export type Connection = 'connecting' | 'live' | 'waiting';

interface Listener {
  onEntries: (entries: LogEntry[]) => void;
  onConnection: (connection: Connection) => void;
  /** It is over: the service will not give us this log. */
  onRefused: (error: Error) => void;
}

const FIRST_ENTRIES = 500;
/** After a gap, as much as there is. */
const LATER_ENTRIES = 1_000;

/** Follows a function's log: what there is, then what comes, each entry once. */
export function followLogs(slug: string, listener: Listener): () => void {
  const stopping = new AbortController();
  let last: LogEntry | undefined;
  listener.onConnection('connecting');
  followEvents({
    path: () => {
      const from = last
        ? `limit=${LATER_ENTRIES}&since=${encodeURIComponent(last.timestamp)}`
        : `limit=${FIRST_ENTRIES}`;
      return `${place(slug)}/logs?follow=true&${from}`;
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
