const KEEP_ALIVE_MS = 15_000;
/** A stream ends after this long, and whoever reads it comes back: so a login that has ended ends its streams too. */
const MAX_STREAM_MS = 5 * 60_000;
/** A reader who does not read is let go before what waits for them fills our memory. */
const MAX_WAITING_BYTES = 1024 * 1024;

const encoder = new TextEncoder();
/** Says nothing, and keeps a connection open. */
export const KEEP_ALIVE = encoder.encode(':\n\n');

export const EVENT_STREAM_HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  // nginx would otherwise hold events back.
  'x-accel-buffering': 'no',
};

/** A server-sent event as it goes over the wire; made once, it can be sent to many. */
export function encodeEvent({ id, name, data }: { id?: string; name?: string; data: unknown }): Uint8Array {
  const lines = [id && `id: ${id}`, name && `event: ${name}`, `data: ${JSON.stringify(data)}`];
  return encoder.encode(`${lines.filter(Boolean).join('\n')}\n\n`);
}

/** One reader's stream of server-sent events. */
export interface EventStream {
  send(event: Uint8Array): void;
  /** Ends the stream; the reader may come back. */
  end(): void;
}

/** All open streams of server-sent events, kept alive together and ended together. */
export interface EventStreams {
  /** Answers with a stream. `begin` is called at once; what it returns is called when the stream has ended. */
  open(signal: AbortSignal, begin: (stream: EventStream) => () => void): Response;
  /** How many are open. */
  readonly size: number;
  /** Ends every stream, and those to come, so that a stopping server waits for none. */
  end(): void;
}

export function createEventStreams(): EventStreams {
  const streams = new Set<{ keepAlive(): void; end(): void }>();
  let isEnded = false;
  let keepingAlive: ReturnType<typeof setInterval> | undefined;

  function add(stream: { keepAlive(): void; end(): void }): void {
    streams.add(stream);
    keepingAlive ??= setInterval(() => {
      for (const each of streams) each.keepAlive();
    }, KEEP_ALIVE_MS);
  }

  function remove(stream: { keepAlive(): void; end(): void }): void {
    streams.delete(stream);
    if (streams.size > 0) return;
    clearInterval(keepingAlive);
    keepingAlive = undefined;
  }

  return {
    get size() {
      return streams.size;
    },

    open(signal, begin) {
      let finish: () => void = () => undefined;
      const body = new ReadableStream<Uint8Array>(
        {
          start(controller) {
            let isOpen = true;
            let stopped: (() => void) | undefined;
            const send = (bytes: Uint8Array) => {
              if (!isOpen) return;
              if ((controller.desiredSize ?? 0) < -MAX_WAITING_BYTES) return finish();
              try {
                controller.enqueue(bytes);
              } catch {
                // The stream has ended without notice. What throws here would hit a timer or somebody else's request.
                finish();
              }
            };
            const stream = { keepAlive: () => send(KEEP_ALIVE), end: () => finish() };
            finish = () => {
              if (!isOpen) return;
              isOpen = false;
              remove(stream);
              clearTimeout(ending);
              signal.removeEventListener('abort', finish);
              stopped?.();
              try {
                controller.close();
              } catch {
                // The reader has closed it already.
              }
            };
            signal.addEventListener('abort', finish);
            const ending = setTimeout(() => finish(), MAX_STREAM_MS);
            add(stream);
            // Something at once, so that the reader knows the stream is open.
            send(KEEP_ALIVE);
            try {
              stopped = begin({ send, end: () => finish() });
            } catch (error) {
              finish();
              throw error;
            }
            if (isEnded || signal.aborted) finish();
            if (!isOpen) stopped();
          },
          cancel: () => finish(),
        },
        new ByteLengthQueuingStrategy({ highWaterMark: 0 }),
      );
      return new Response(body, { headers: EVENT_STREAM_HEADERS });
    },

    end() {
      isEnded = true;
      for (const stream of [...streams]) stream.end();
    },
  };
}
