import type { FunctionLogs } from './logs.ts';
import { toLogEntry } from './schema.ts';
import type { LogRow } from './store.ts';

const KEEP_ALIVE_MS = 15_000;
/** A follower who does not read is let go before what waits for them fills our memory. */
const MAX_WAITING = 2_000;

/**
 * A stream of a function's log: what there is, then what comes. It follows before `listPast` is asked, and sends what
 * came meanwhile after it, so that no entry is missed between the two; entries have rising ids, so that none comes twice.
 */
export async function followLogs(
  logs: FunctionLogs,
  functionId: number,
  listPast: () => Promise<LogRow[]>,
  signal: AbortSignal,
): Promise<Response> {
  const encoder = new TextEncoder();
  let waiting: LogRow[] = [];
  let isEnded = false;
  let next = (rows: LogRow[]) => {
    waiting.push(...rows);
  };
  let end = () => {
    isEnded = true;
  };
  const unfollow = logs.follow(functionId, { next: (rows) => next(rows), end: () => end() });
  const past = await listPast().catch((error: unknown) => {
    unfollow();
    throw error;
  });

  const stream = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        let lastId = 0;
        const send = (text: string) => controller.enqueue(encoder.encode(text));
        const keepAlive = setInterval(() => send(': \n\n'), KEEP_ALIVE_MS);
        end = () => {
          clearInterval(keepAlive);
          unfollow();
          signal.removeEventListener('abort', end);
          try {
            controller.close();
          } catch {
            // The reader has closed it already.
          }
        };
        next = (rows) => {
          for (const row of rows) {
            if (row.id <= lastId) continue;
            if ((controller.desiredSize ?? 0) < -MAX_WAITING) return end();
            lastId = row.id;
            send(`data: ${JSON.stringify(toLogEntry(row))}\n\n`);
          }
        };
        signal.addEventListener('abort', end);
        next(past);
        next(waiting);
        waiting = [];
        if (isEnded || signal.aborted) end();
      },
      cancel: () => end(),
    },
    { highWaterMark: 0 },
  );
  return new Response(stream, {
    headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-store' },
  });
}
