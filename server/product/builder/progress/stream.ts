import type { BuilderEvent } from '../../../../contract/agents/builder.ts';
import { EVENT_STREAM_HEADERS, encodeEvent, KEEP_ALIVE, keepAlive } from '../../../platform/http/index.ts';
import { isLast, type LiveRun } from './live-run.ts';

/** A reader that falls behind by this much is disconnected. The run goes on, and can be watched again. */
const MAX_WAITING_BYTES = 1024 * 1024;

/** Streams the events of a run until its last. If the reader disconnects, the run goes on. */
export function sendRun(run: LiveRun): Response {
  let end: (() => void) | undefined;
  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        controller.enqueue(KEEP_ALIVE);
        const first: BuilderEvent = { type: 'run', run: run.state };
        controller.enqueue(encodeEvent({ data: first }));
        // Keep the connection alive: a model may think for long, and an idle connection would be closed.
        const keepingAlive = keepAlive(controller);
        const stopListening = run.listen((event: BuilderEvent) => {
          controller.enqueue(encodeEvent({ data: event }));
          const isBehind = (controller.desiredSize ?? 0) < -MAX_WAITING_BYTES;
          if (!isLast(event) && !isBehind) return;
          end?.();
          controller.close();
        });
        end = () => {
          clearInterval(keepingAlive);
          stopListening();
        };
      },
      cancel: () => end?.(),
    },
    new ByteLengthQueuingStrategy({ highWaterMark: 0 }),
  );
  return new Response(body, { headers: EVENT_STREAM_HEADERS });
}
