import type { Duplex } from 'node:stream';

/** The parameters of an event. The page can influence them, so nothing about them is certain. */
export type Params = Record<string, unknown>;

/** Thrown if the browser does not answer in time, or has ended. */
export class NoAnswerError extends Error {}

/** Larger messages are dropped: a page can print texts of any length. A screenshot is smaller. */
const MAX_MESSAGE_BYTES = 32 * 1024 * 1024;

interface Pending {
  resolve(result: Params): void;
  reject(error: Error): void;
}

/** The Chrome DevTools Protocol over a pipe: JSON messages that end with a NUL. */
export class Pipe {
  /** How many messages were dropped because they are too large. */
  dropped = 0;
  private lastId = 0;
  private readonly pending = new Map<number, Pending>();
  private chunks: Buffer[] = [];
  private bytes = 0;
  private isDropping = false;
  private hasEnded = false;

  constructor(
    private readonly stream: Duplex,
    private readonly onEvent: (method: string, params: Params, session: string | undefined) => void,
  ) {
    stream.on('data', (chunk: Buffer) => this.read(chunk));
    stream.on('error', () => this.end());
    stream.on('close', () => this.end());
  }

  /** Sends a command and waits for its result. */
  send(method: string, params: Params, options: { session?: string; withinMs: number }): Promise<Params> {
    const id = ++this.lastId;
    const { session: sessionId, withinMs } = options;
    return new Promise((resolve, reject) => {
      if (this.hasEnded || withinMs <= 0) return reject(new NoAnswerError(`${method}: no answer`));
      const timer = setTimeout(() => {
        this.pending.delete(id);
        reject(new NoAnswerError(`${method}: no answer`));
      }, withinMs);
      const settle =
        <Value>(then: (value: Value) => void) =>
        (value: Value) => {
          clearTimeout(timer);
          then(value);
        };
      this.pending.set(id, { resolve: settle(resolve), reject: settle(reject) });
      this.stream.write(`${JSON.stringify({ id, method, params, ...(sessionId && { sessionId }) })}\0`);
    });
  }

  end(): void {
    this.hasEnded = true;
    for (const { reject } of this.pending.values()) reject(new NoAnswerError('the browser has ended'));
    this.pending.clear();
  }

  private read(chunk: Buffer): void {
    let start = 0;
    for (let at = chunk.indexOf(0); at >= 0; at = chunk.indexOf(0, start)) {
      this.keep(chunk.subarray(start, at));
      const message = this.isDropping ? undefined : Buffer.concat(this.chunks).toString();
      this.chunks = [];
      this.bytes = 0;
      this.isDropping = false;
      start = at + 1;
      if (message !== undefined) this.take(message);
    }
    this.keep(chunk.subarray(start));
  }

  private keep(part: Buffer): void {
    this.bytes += part.length;
    if (this.bytes > MAX_MESSAGE_BYTES && !this.isDropping) {
      this.isDropping = true;
      this.dropped++;
      this.chunks = [];
    }
    if (!this.isDropping) this.chunks.push(part);
  }

  private take(text: string): void {
    const message = parse(text);
    const { id, method } = message;
    const params = (message.params ?? {}) as Params;
    if (typeof method === 'string') {
      this.onEvent(method, params, message.sessionId as string | undefined);
      return;
    }
    const waiting = this.pending.get(id as number);
    this.pending.delete(id as number);
    const { error } = message as { error?: { message?: string } };
    if (error) waiting?.reject(new Error(error.message ?? 'the browser refused a command'));
    else waiting?.resolve((message.result ?? {}) as Params);
  }
}

/** Anything but a message is ignored. */
function parse(text: string): Params {
  try {
    return (JSON.parse(text) ?? {}) as Params;
  } catch {
    return {};
  }
}
