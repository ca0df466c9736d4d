import type { FunctionLogs, LogEntry } from './logs.ts';
import { toLogEntry } from './schema.ts';
import type { LogRow } from './store.ts';

const KEEP_ALIVE_MS = 15_000;
/** A follower who does not read is let go before what waits for them fills our memory. */
const MAX_WAITING = 2_000;

/** A stream of a function's log: what there is, then what comes. */
export function followLogs(
  logs: FunctionLogs,
  functionId: number,
  past: LogRow[],
  signal: AbortSignal,
): Response {
  const encoder = new TextEncoder();
  let end: () => void = () => undefined;
  const stream = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const send = (text: string) => controller.enqueue(encoder.encode(text));
        const event = (entry: LogRow | LogEntry) => {
          if ((controller.desiredSize ?? 0) < -MAX_WAITING) return end();
          // What has just come has no id yet: it is written a moment later.
          const { id, ...fields } = toLogEntry({ id: 0, ...entry });
          send(`data: ${JSON.stringify(id === 0 ? fields : { id, ...fields })}\n\n`);
        };
        const keepAlive = setInterval(() => send(': \n\n'), KEEP_ALIVE_MS);
        const unfollow = logs.follow(functionId, event);
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
        signal.addEventListener('abort', end);
        for (const row of past) event(row);
      },
      cancel: () => end(),
    },
    { highWaterMark: 0 },
  );
  return new Response(stream, {
    headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-store' },
  });
}
