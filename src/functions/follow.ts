import { type EventStreams, encodeEvent } from '../http/index.ts';
import type { FunctionLogs } from './logs.ts';
import { toLogEntry } from './schema.ts';
import type { LogRow } from './store.ts';

/**
 * A stream of a function's log: what there is, then what comes. It follows before `listPast` is asked, and sends what
 * came meanwhile after it, so that no entry is missed between the two; entries have rising ids, so that none comes twice.
 */
export async function followLogs(
  streams: EventStreams,
  logs: FunctionLogs,
  functionId: number,
  listPast: () => Promise<LogRow[]>,
  signal: AbortSignal,
): Promise<Response> {
  const waiting: LogRow[] = [];
  let next = (rows: LogRow[]) => void waiting.push(...rows);
  const unfollow = logs.follow(functionId, (rows) => next(rows));
  const past = await listPast().catch((error: unknown) => {
    unfollow();
    throw error;
  });
  return streams.open(signal, (stream) => {
    let lastId = 0;
    next = (rows) => {
      for (const row of rows) {
        if (row.id <= lastId) continue;
        lastId = row.id;
        stream.send(encodeEvent({ data: toLogEntry(row) }));
      }
    };
    next(past);
    next(waiting);
    return unfollow;
  });
}
