import { limitKey } from '../../../lib/addresses.ts';
import { AppError } from '../../../lib/errors.ts';
import { type Share, Shares } from '../sockets/shares.ts';

const KEEP_ALIVE_MS = 15_000;
/** A stream ends after this long and its reader reconnects, so that streams end soon after their login does. */
const MAX_STREAM_MS = 5 * 60_000;
/** A reader that falls behind by this much is disconnected, so that its backlog does not fill our memory. */
const MAX_WAITING_BYTES = 1024 * 1024;
/** How many users are remembered whose logins ended. One who is forgotten has long got their responses. */
const MAX_ENDED = 10_000;
/** One address can have one in so many of all streams: a school can have one address. */
const PART_OF_ADDRESS = 4;

const encoder = new TextEncoder();
/** An empty comment, which keeps a connection open. */
export const KEEP_ALIVE = encoder.encode(':\n\n');

export const EVENT_STREAM_HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  // Otherwise nginx buffers events.
  'x-accel-buffering': 'no',
};

/** A server-sent event in wire format. It is encoded once and can be sent to many readers. */
export function encodeEvent({ id, name, data }: { id?: string; name?: string; data: unknown }): Uint8Array {
  const lines = [id && `id: ${id}`, name && `event: ${name}`, `data: ${JSON.stringify(data)}`];
  return encoder.encode(`${lines.filter(Boolean).join('\n')}\n\n`);
}

/** Keeps a connection open while nothing is sent. Clear the interval when the stream has ended. */
export function keepAlive(controller: ReadableStreamDefaultController<Uint8Array>): NodeJS.Timeout {
  const timer = setInterval(() => {
    try {
      controller.enqueue(KEEP_ALIVE);
    } catch {
      // The stream has ended without notice, and nothing would catch an error of a timer.
      clearInterval(timer);
    }
  }, KEEP_ALIVE_MS);
  return timer;
}

/** One reader's stream of server-sent events. */
export class EventStream {
  private isOpen = true;
  private readonly ending = setTimeout(() => this.end(), MAX_STREAM_MS);
  private readonly abort = () => this.end();

  constructor(
    private readonly controller: ReadableStreamDefaultController<Uint8Array>,
    private readonly signal: AbortSignal,
    private readonly onEnd: () => void,
    /** The user whose login the stream was opened with, if any. */
    readonly userId: number | undefined,
  ) {
    signal.addEventListener('abort', this.abort);
  }

  get hasEnded(): boolean {
    return !this.isOpen;
  }

  send(bytes: Uint8Array): void {
    if (!this.isOpen) return;
    try {
      if ((this.controller.desiredSize ?? 0) < -MAX_WAITING_BYTES) this.end();
      else this.controller.enqueue(bytes);
    } catch {
      // The stream ended without notice. An error thrown here would surface in a timer or in another request.
      this.end();
    }
  }

  /** Ends the stream. The reader may reconnect. */
  end(): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    clearTimeout(this.ending);
    this.signal.removeEventListener('abort', this.abort);
    this.onEnd();
    try {
      this.controller.close();
    } catch {
      // The reader has already closed it.
    }
  }
}

/** Who opens a stream. */
interface Reader {
  /** The user whose login the stream is opened with, if any. */
  userId?: number | undefined;
  address?: string | undefined;
}

/** All open streams of server-sent events, kept alive together and ended together. */
export class EventStreams {
  private readonly streams = new Set<EventStream>();
  /** Streams that others made: whose they are, and what ends them. */
  private readonly guarded = new Set<{ userId: number; recheck(): Promise<void> }>();
  private readonly shares: Shares;
  /** Responses of `streams`, which `endStreams` ends without a guard. */
  private readonly own = new WeakSet<Response>();
  /** When logins of a user last ended, in `loginEndings`. */
  private readonly endings = new Map<number, number>();
  /** How often logins have ended. */
  loginEndings = 0;
  private isEnded = false;
  private keepingAlive: ReturnType<typeof setInterval> | undefined;

  constructor({ maxStreams = Number.POSITIVE_INFINITY } = {}) {
    this.shares = new Shares(maxStreams, undefined, PART_OF_ADDRESS);
  }

  /** How many streams are open. */
  get size(): number {
    return this.streams.size;
  }

  /**
   * Responds with a stream. Calls `begin` immediately, and the function it returns when the stream has ended. A stream
   * for a user ends when `endUserStreams` is called. Fails if too many are open.
   */
  open(signal: AbortSignal, begin: (stream: EventStream) => () => void, reader: Reader = {}): Response {
    const share = this.takeShare(reader);
    let stream: EventStream | undefined;
    const body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          stream = this.begin(controller, signal, begin, { ...reader, share });
        },
        cancel: () => stream?.end(),
      },
      new ByteLengthQueuingStrategy({ highWaterMark: 0 }),
    );
    const response = new Response(body, { headers: EVENT_STREAM_HEADERS });
    this.own.add(response);
    return response;
  }

  /**
   * Lets a response end when the login behind it ends, if it is a stream of events, whoever makes it. `since` is the value
   * of `loginEndings` before the login was checked, and `identify` finds whose login it is, if it has not ended.
   */
  endWithLogin(
    response: Response,
    userId: number | undefined,
    since: number,
    identify: () => Promise<unknown>,
  ): Response {
    if (userId === undefined) return response;
    const { body, headers, status } = response;
    if (!body || !headers.get('content-type')?.startsWith('text/event-stream')) return response;
    const ending = this.own.has(response)
      ? response
      : new Response(this.guard(body, userId, identify), { headers, status });
    if ((this.endings.get(userId) ?? 0) > since) this.endStreams(userId);
    return ending;
  }

  /** Ends every stream, and from now on every new one, so that a stopping server does not wait for any. */
  end(): void {
    this.isEnded = true;
    for (const stream of [...this.streams]) stream.end();
  }

  /** Ends the streams of a user whose login may have ended. If it has not, their programs connect again. */
  endUserStreams(userId: number): void {
    this.endings.delete(userId);
    this.endings.set(userId, ++this.loginEndings);
    if (this.endings.size > MAX_ENDED) this.endings.delete(this.endings.keys().next().value ?? 0);
    this.endStreams(userId);
  }

  private endStreams(userId: number): void {
    for (const stream of [...this.streams]) if (stream.userId === userId) stream.end();
    for (const guarded of [...this.guarded]) if (guarded.userId === userId) void guarded.recheck();
  }

  /**
   * Passes a stream on until its login ends. For its maker, that looks like a reader who leaves. Nobody repeats such a
   * request, so it must not end with another login of the same user.
   */
  private guard(
    body: ReadableStream<Uint8Array>,
    userId: number,
    identify: () => Promise<unknown>,
  ): ReadableStream<Uint8Array> {
    const ending = new AbortController();
    const recheck = async () => {
      if (!(await identify().catch(() => undefined))) ending.abort();
    };
    const guarded = { userId, recheck };
    this.guarded.add(guarded);
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const { signal } = ending;
    void body
      .pipeTo(writable, { signal, preventAbort: true })
      // The login has ended, or the reader has left, or the maker has failed.
      .catch((error: unknown) => (signal.aborted ? writable.close() : writable.abort(error)))
      .catch(() => undefined)
      .finally(() => this.guarded.delete(guarded));
    return readable;
  }

  private takeShare({ address }: Reader): Share | undefined {
    if (address === undefined) return undefined;
    const key = limitKey(address);
    const refusal = this.shares.refusal(key);
    if (refusal === undefined) return this.shares.of(key);
    throw new AppError(
      'UNAVAILABLE',
      refusal === 'total'
        ? 'The server has too many open event streams. Close some, then try again.'
        : refusal === 'network'
          ? 'Your network has too many open event streams. Close some, then try again.'
          : 'Your address has too many open event streams. Close some, then try again.',
      {},
      { headers: { 'retry-after': '5' } },
    );
  }

  private begin(
    controller: ReadableStreamDefaultController<Uint8Array>,
    signal: AbortSignal,
    begin: (stream: EventStream) => () => void,
    { userId, share }: Reader & { share: Share | undefined },
  ): EventStream {
    let stop: (() => void) | undefined;
    const onEnd = () => {
      this.remove(stream);
      share?.sockets(-1);
      stop?.();
    };
    const stream: EventStream = new EventStream(controller, signal, onEnd, userId);
    this.add(stream);
    share?.sockets(1);
    // Send something immediately, so that the reader knows the stream is open.
    stream.send(KEEP_ALIVE);
    try {
      stop = begin(stream);
    } catch (error) {
      stream.end();
      throw error;
    }
    if (stream.hasEnded) stop();
    else if (this.isEnded || signal.aborted) stream.end();
    return stream;
  }

  private add(stream: EventStream): void {
    this.streams.add(stream);
    this.keepingAlive ??= setInterval(() => {
      for (const each of this.streams) each.send(KEEP_ALIVE);
    }, KEEP_ALIVE_MS);
  }

  private remove(stream: EventStream): void {
    this.streams.delete(stream);
    if (this.streams.size > 0) return;
    clearInterval(this.keepingAlive);
    this.keepingAlive = undefined;
  }
}
