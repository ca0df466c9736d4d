import type { Socket } from 'node:net';
import { encodeClose, encodeMessage, encodePong, type Frame, FrameError, FrameReader } from './frames.ts';

/** The largest message that a function can send. */
const MAX_MESSAGE_BYTES = 1024 * 1024;
/** How long a function has to answer that its client has closed the connection. */
const CLOSE_MS = 5_000;
/** The connection ended without a close frame. */
const ABNORMAL = 1006;

/** Hears what a function does with a WebSocket. */
interface CellSocketListener {
  message(data: string | Uint8Array): void;
  /** The function has read everything that was sent. */
  drained(): void;
  /** Called once, and nothing after it. The code is 1006 if the cell ended. */
  closed(code: number, reason: string): void;
}

/** The server's end of a WebSocket to a function. It reads nothing before it has a listener. */
export class CellSocket {
  readonly ended: Promise<void>;
  readonly #socket: Socket;
  readonly #frames = new FrameReader(MAX_MESSAGE_BYTES);
  #listener: CellSocketListener | undefined;
  #isPaused = true;
  #isClosing = false;

  constructor(
    socket: Socket,
    /** What arrived together with the response. */
    first: Uint8Array,
    /** The subprotocol that the function chose. */
    readonly protocol: string | undefined,
    /** Called with each message, in either direction. */
    private readonly onUse: () => void,
  ) {
    this.#socket = socket;
    this.#frames.push(first);
    socket.pause();
    socket.on('data', (bytes: Buffer) => {
      this.#frames.push(bytes);
      this.#read();
    });
    socket.on('drain', () => this.#listener?.drained());
    // What went wrong does not matter: `close` follows.
    socket.on('error', () => undefined);
    this.ended = new Promise((resolve) => {
      socket.on('close', () => {
        if (!this.#isClosing) this.#tell(ABNORMAL, '');
        resolve();
      });
    });
  }

  listen(listener: CellSocketListener): void {
    this.#listener = listener;
    this.resume();
  }

  /** False if the function reads too slowly: wait for `drained`. */
  send(data: string | Uint8Array): boolean {
    if (this.#isClosing) return true;
    this.onUse();
    return this.#write(encodeMessage(data));
  }

  pause(): void {
    this.#isPaused = true;
    this.#socket.pause();
  }

  resume(): void {
    this.#isPaused = false;
    this.#read();
    if (!this.#isPaused) this.#socket.resume();
  }

  /** Tells the function that the client has closed the connection. */
  close(code: number, reason: string): void {
    if (this.#isClosing) return;
    this.#listener = undefined;
    this.shut(code, reason);
  }

  /** Ends the connection for both sides. */
  shut(code: number, reason: string): void {
    if (this.#isClosing) return;
    this.#tell(code, reason);
    // A client that went without a close frame goes for the function in the same way.
    if (code === ABNORMAL) this.#socket.destroy();
    else this.#write(encodeClose(code, reason));
    this.#endSoon();
    // The close frame of the function comes after what it has sent before.
    this.resume();
  }

  #read(): void {
    try {
      while (!this.#isPaused) {
        const frame = this.#frames.next();
        if (!frame) return;
        this.#handle(frame);
      }
    } catch (error) {
      if (!(error instanceof FrameError)) throw error;
      this.pause();
      this.#finish(error.code, error.message);
    }
  }

  #handle(frame: Frame): void {
    if (frame.kind === 'ping') this.#write(encodePong(frame.data));
    if (frame.kind === 'close') this.#finish(frame.code, frame.reason);
    if (frame.kind !== 'message') return;
    this.onUse();
    this.#listener?.message(frame.data);
  }

  /** Nothing more is read from the function. */
  #finish(code: number, reason: string): void {
    if (!this.#isClosing) {
      this.#tell(code, reason);
      this.#write(encodeClose(code, reason));
      this.#endSoon();
    }
    this.#socket.end();
  }

  #tell(code: number, reason: string): void {
    this.#isClosing = true;
    const listener = this.#listener;
    this.#listener = undefined;
    listener?.closed(code, reason);
  }

  #endSoon(): void {
    const timer = setTimeout(() => this.#socket.destroy(), CLOSE_MS);
    void this.ended.then(() => clearTimeout(timer));
  }

  #write(chunks: Uint8Array[]): boolean {
    let isRead = true;
    for (const chunk of chunks) isRead = this.#socket.write(chunk);
    return isRead;
  }
}
