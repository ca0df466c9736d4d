import { type EventStream, type EventStreams, encodeEvent } from '../../../platform/http/index.ts';
import type { FunctionLogs } from './logs.ts';
import type { LogRow } from './store.ts';
import { toLogEntry } from './wire.ts';

/** Ids of entries that are remembered: far more than can be repeated, which are from the last seconds. */
const MAX_REMEMBERED = 20_000;

/**
 * A stream of a function's log: the existing entries, then new ones. It follows before it calls `listPast`, and sends
 * what came meanwhile afterwards, so that no entry is missed. Entries of several nodes can come in any order and more
 * than once; each is sent once.
 */
export async function followLogs(
  streams: EventStreams,
  logs: FunctionLogs,
  functionId: number,
  listPast: () => Promise<LogRow[]>,
  { signal, userId, address }: { signal: AbortSignal; userId: number; address: string },
): Promise<Response> {
  const waiting: LogRow[] = [];
  let next = (rows: LogRow[]) => void waiting.push(...rows);
  const unfollow = logs.follow(functionId, (rows) => next(rows));
  const begin = (past: LogRow[]) => (stream: EventStream) => {
    const sent = new Set<number>();
    next = (rows) => {
      for (const row of rows) {
        if (sent.has(row.id)) continue;
        sent.add(row.id);
        if (sent.size > MAX_REMEMBERED) sent.delete(sent.values().next().value ?? 0);
        stream.send(encodeEvent({ data: toLogEntry(row) }));
      }
    };
    next(past);
    next(waiting);
    return unfollow;
  };
  try {
    return streams.open(signal, begin(await listPast()), { userId, address });
  } catch (error) {
    unfollow();
    throw error;
  }
}
