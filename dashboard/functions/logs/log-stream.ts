import { ApiError, refusal, request } from '../../api.ts';
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
const FIRST_WAIT_MS = 500;
const MAX_WAIT_MS = 15_000;
/** The service says something every fifteen seconds, even if it is nothing. */
const SILENCE_MS = 45_000;

/** Follows a function's log: what there is, then what comes, each entry once, over as many connections as it takes. */
export function followLogs(slug: string, listener: Listener): () => void {
  const stopping = new AbortController();
  void follow(slug, listener, stopping.signal);
  return () => stopping.abort();
}

async function follow(slug: string, listener: Listener, signal: AbortSignal): Promise<void> {
  let last: LogEntry | undefined;
  let waitMs = FIRST_WAIT_MS;
  const take = (entries: LogEntry[]) => {
    waitMs = FIRST_WAIT_MS;
    const fresh = entries.filter(({ id }) => id > (last?.id ?? 0));
    if (fresh.length === 0) return;
    last = fresh.at(-1);
    listener.onEntries(fresh);
  };
  listener.onConnection('connecting');
  while (!signal.aborted) {
    try {
      const from = last
        ? `limit=${LATER_ENTRIES}&since=${encodeURIComponent(last.timestamp)}`
        : `limit=${FIRST_ENTRIES}`;
      await readStream(
        `${place(slug)}/logs?follow=true&${from}`,
        signal,
        () => listener.onConnection('live'),
        take,
      );
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof ApiError && (error.status === 403 || error.status === 404))
        return listener.onRefused(error);
      listener.onConnection('waiting');
    }
    // The service ends a stream now and then by itself, which is no reason to alarm anybody.
    await pause(waitMs, signal);
    waitMs = Math.min(waitMs * 2, MAX_WAIT_MS);
  }
}

/** Reads one connection to its end. */
async function readStream(
  path: string,
  signal: AbortSignal,
  onOpen: () => void,
  take: (entries: LogEntry[]) => void,
): Promise<void> {
  const silence = new AbortController();
  let timer = setTimeout(() => silence.abort(), SILENCE_MS);
  try {
    const response = await request('GET', path, { signal: AbortSignal.any([signal, silence.signal]) });
    if (!response.ok) throw await refusal(response);
    onOpen();
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    let rest = '';
    while (reader) {
      const { done, value } = await reader.read();
      if (done) return;
      clearTimeout(timer);
      timer = setTimeout(() => silence.abort(), SILENCE_MS);
      const events = (rest + value).split('\n\n');
      rest = events.pop() ?? '';
      take(events.flatMap(parseEvent));
    }
  } finally {
    clearTimeout(timer);
  }
}

function parseEvent(event: string): LogEntry[] {
  const data = event.split('\n').find((line) => line.startsWith('data: '));
  return data ? [JSON.parse(data.slice('data: '.length)) as LogEntry] : [];
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
