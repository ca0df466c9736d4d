import type { ServerWebSocket } from 'bun';
import type { ServerSocket, SocketKind, SocketSession } from './session.ts';
import type { Share } from './shares.ts';

/** Used instead of codes that no endpoint may send, such as 1005 and 1006. */
const NO_CODE = 1000;
/** The reason of a close frame, in bytes of UTF-8. */
const MAX_REASON_BYTES = 123;
/** A client that sends too much has to wait. One that would have to wait longer than this is disconnected. */
const MAX_PAUSE_MS = 10_000;
/** The close code for a client that does what it must not. */
const ABUSE = 1008;

/** An open WebSocket, with what `Sockets` needs to count it. */
export class OpenSocket implements ServerSocket {
  #ws: ServerWebSocket<OpenSocket> | undefined;
  #waitingBytes = 0;
  #isPaused = false;
  /** Set while the client has sent too much. */
  #slowing: ReturnType<typeof setTimeout> | undefined;

  constructor(
    readonly session: SocketSession,
    readonly kind: SocketKind,
    readonly maxMessageBytes: number,
    private readonly share: Share,
  ) {}

  get bufferedBytes(): number {
    return this.#ws?.getBufferedAmount() ?? 0;
  }

  send(data: string | Uint8Array): number {
    const sent = this.#ws?.send(data as string | Uint8Array<ArrayBuffer>) ?? 0;
    if (sent === -1) this.countUnread();
    return sent;
  }

  close(code: number, reason = ''): void {
    this.#ws?.close(isSendable(code) ? code : NO_CODE, cutReason(reason));
    // The end of the connection has to be read too.
    this.#ws?.resume();
  }

  terminate(): void {
    this.#ws?.terminate();
  }

  pause(): void {
    this.#isPaused = true;
    this.#ws?.pause();
  }

  resume(): void {
    this.#isPaused = false;
    if (!this.#slowing) this.#ws?.resume();
  }

  /** Counts a message of the client. False if it has sent so many that the connection is closed. */
  admit(): boolean {
    if (!this.#ws) return false;
    const waitMs = this.share.messages(1);
    if (waitMs > MAX_PAUSE_MS) {
      this.close(ABUSE, 'Too many messages. Send fewer, or several in one.');
      // What the client has sent already is not read.
      this.#ws = undefined;
      return false;
    }
    if (waitMs > 0 && !this.#slowing) this.#slow(waitMs);
    return true;
  }

  subscribe(topic: string): void {
    this.#ws?.subscribe(topic);
  }

  unsubscribe(topic: string): void {
    this.#ws?.unsubscribe(topic);
  }

  /** Counts what the client has not read: it must not fill our memory, with however many connections. */
  countUnread(): number {
    const now = this.bufferedBytes;
    if (now === this.#waitingBytes) return now;
    const isWithinShare = this.share.waiting(now - this.#waitingBytes);
    this.#waitingBytes = now;
    if (!isWithinShare) this.terminate();
    return now;
  }

  attach(ws: ServerWebSocket<OpenSocket>): void {
    this.#ws = ws;
    this.share.sockets(1);
  }

  drained(): void {
    this.countUnread();
    this.session.drained();
  }

  ended(code: number, reason: string): void {
    this.#ws = undefined;
    clearTimeout(this.#slowing);
    this.share.waiting(-this.#waitingBytes);
    this.#waitingBytes = 0;
    this.share.sockets(-1);
    this.session.closed(code, reason);
  }

  /** Reads nothing until what the client has sent is within its share again. */
  #slow(waitMs: number): void {
    this.#ws?.pause();
    this.#slowing = setTimeout(() => {
      const leftMs = this.share.messages(0);
      if (leftMs > 0) return this.#slow(leftMs);
      this.#slowing = undefined;
      if (!this.#isPaused) this.#ws?.resume();
    }, waitMs);
  }
}

/** Codes that may be in a close frame. */
function isSendable(code: number): boolean {
  if (code >= 3000 && code <= 4999) return true;
  return code >= 1000 && code <= 1014 && !(code >= 1004 && code <= 1006);
}

function cutReason(reason: string): string {
  if (Buffer.byteLength(reason) <= MAX_REASON_BYTES) return reason;
  const bytes = Buffer.from(reason).subarray(0, MAX_REASON_BYTES);
  // Drops the character that was cut in two.
  return new TextDecoder().decode(bytes, { stream: true });
}
