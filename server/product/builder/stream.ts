import type { BuilderEvent } from '../../../contract/agents/builder.ts';
import { EVENT_STREAM_HEADERS, encodeEvent, KEEP_ALIVE, keepAlive } from '../../platform/http/index.ts';

/** Streams events. If the reader disconnects, calls `onLeave` and ends the events. */
export function sendEvents(events: AsyncGenerator<BuilderEvent>, onLeave: () => void): Response {
  let keepingAlive: ReturnType<typeof setInterval> | undefined;
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(KEEP_ALIVE);
      // Keep the connection alive: a model may think for long, and an idle connection would be closed.
      keepingAlive = keepAlive(controller);
    },
    async pull(controller) {
      const { done, value } = await events.next();
      if (!done) return controller.enqueue(encodeEvent({ data: value }));
      clearInterval(keepingAlive);
      controller.close();
    },
    cancel() {
      clearInterval(keepingAlive);
      onLeave();
      // The step in progress rejects, and then the run tidies up, even if it has not begun.
      void events.next().finally(() => events.return(undefined));
    },
  });
  return new Response(body, { headers: EVENT_STREAM_HEADERS });
}
