import { type Message, readMessage } from './messages.ts';
import type { DocumentMap } from './source/document-map.ts';

/** Moving the pointer and scrolling send fewer messages than this. A document that sends more is not listened to. */
const MAX_MESSAGES_PER_SECOND = 300;
const PING_MS = 2_000;
const SILENT_AFTER_MS = 6_000;

/** What is sent to a previewed document. */
export type Order =
  | { texts: Record<number, string[]>; words: Record<string, string> }
  | { mode: 'edit' | 'use' }
  | { stop: 'done' | 'cancelled' }
  | { unchoose: true }
  | { move: 1 | -1 }
  | { open: true }
  | { scroll: number }
  | { text: { id: number; before: string; after: string } }
  | { attribute: { id: number; name: string; value: string } }
  | { style: { id: number; property: string; value: string } }
  | { css: { id: number; text: string } };

interface Handlers {
  onMessage: (message: Message) => void;
  /** The document does not answer: it hangs, or has gone elsewhere. */
  onSilent: (isSilent: boolean) => void;
}

/** The wire to one previewed document. What comes from it is hostile. */
export class Connection {
  readonly far: MessagePort;
  frame: HTMLIFrameElement | undefined;
  readonly #near: MessagePort;
  #count = { messages: 0, since: 0 };
  #answered = performance.now();
  #pinging: ReturnType<typeof setInterval> | undefined;
  #handlers: Handlers | undefined;

  constructor(
    /** Where the elements of the document are in its source. */
    public map: DocumentMap,
    readonly rewrite: (css: string) => string,
  ) {
    const { port1, port2 } = new MessageChannel();
    this.#near = port1;
    this.far = port2;
    port1.onmessage = ({ data }) => this.#receive(data);
  }

  /** Listens from now on: the document is shown. */
  start(frame: HTMLIFrameElement, handlers: Handlers): void {
    this.frame = frame;
    this.#handlers = handlers;
    this.#answered = performance.now();
    this.#pinging = setInterval(() => this.#ping(), PING_MS);
  }

  send(order: Order): void {
    this.#near.postMessage(order);
  }

  close(): void {
    clearInterval(this.#pinging);
    this.#handlers = undefined;
    this.#near.close();
  }

  #ping(): void {
    // Browsers slow down what nobody sees.
    if (document.hidden) this.#answered = performance.now();
    this.#near.postMessage({ ping: 0 });
    this.#handlers?.onSilent(performance.now() - this.#answered > SILENT_AFTER_MS);
  }

  #receive(data: unknown): void {
    const now = performance.now();
    if (now - this.#count.since > 1000) this.#count = { messages: 0, since: now };
    if (++this.#count.messages > MAX_MESSAGES_PER_SECOND) return;
    const message = readMessage(data);
    if (message?.kind === 'pong') this.#answered = now;
    else if (message) this.#handlers?.onMessage(message);
  }
}
