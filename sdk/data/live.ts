import { EventParser, type ServerEvent } from '../../contract/rules/event-stream.ts';
import { FINAL, GOOD_AFTER_MS, SILENCE_MS, waitMs } from '../waits.ts';

export type Callback = (change: Quire.Change) => void;

export interface LiveOptions {
  /** Opens the stream. Rejects with a `status` if the service refuses it. */
  open(collections: string[], lastEventId: string | undefined, signal: AbortSignal): Promise<Response>;
  /** Calls back when a connection is worth another try. Returns a function that stops this. */
  onWake(callback: (cause: 'online' | 'visible') => void): () => void;
  /** True if the tab is not visible. */
  isHidden(): boolean;
  /** Called before a reset is reported. Never rejects. */
  onReset?(): Promise<void>;
}

/** A read right after a subscription waits at most this long for the stream to open. */
const OPENING_MS = 2_000;

/** Follows the changes in all collections that a tab subscribes to, over one stream. */
export class Live {
  private readonly callbacks = new Map<string, Set<Callback>>();
  /** The collections that are followed, joined with commas. Undefined if there are none. */
  private followed: string | undefined;
  /** The collections of the last stream that opened. */
  private open = new Set<string>();
  private readonly waiting = new Set<() => void>();
  private lastEventId: string | undefined;
  private failures = 0;
  private stream: AbortController | undefined;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private stopListening: (() => void) | undefined;
  private isUpdating = false;

  constructor(private readonly options: LiveOptions) {}

  subscribe = (collection: string, callback: Callback): (() => void) => {
    const own: Callback = (change) => callback(change);
    const others = this.callbacks.get(collection) ?? new Set();
    this.callbacks.set(collection, others.add(own));
    this.update();
    return () => {
      if (!others.delete(own) || others.size > 0) return;
      this.callbacks.delete(collection);
      this.update();
    };
  };

  /**
   * Resolves when the stream of a new subscription is open. Changes after a read that waited for this are reported;
   * changes before might not be.
   */
  opened(collection: string): Promise<void> {
    const isOpening =
      this.callbacks.has(collection) && !this.open.has(collection) && (this.stream || this.isUpdating);
    if (!isOpening) return Promise.resolve();
    return new Promise((resolve) => {
      const timeout = setTimeout(resolve, OPENING_MS);
      this.waiting.add(() => {
        clearTimeout(timeout);
        resolve();
      });
    });
  }

  /** Adapts the stream to the subscriptions, once for all that change together. */
  private update(): void {
    if (this.isUpdating) return;
    this.isUpdating = true;
    queueMicrotask(() => {
      this.isUpdating = false;
      const wanted = [...this.callbacks.keys()].sort().join();
      if (wanted === '') return this.stop();
      if (wanted === this.followed) return;
      this.followed = wanted;
      this.failures = 0;
      this.stopListening ??= this.options.onWake((cause) => this.wake(cause));
      void this.follow();
    });
  }

  private stop(): void {
    this.stream?.abort();
    clearTimeout(this.timer);
    this.stopListening?.();
    this.followed = undefined;
    this.lastEventId = undefined;
    this.stream = undefined;
    this.stopListening = undefined;
    this.open = new Set();
    this.stopWaiting();
  }

  private stopWaiting(): void {
    for (const resolve of this.waiting) resolve();
    this.waiting.clear();
  }

  private wake(cause: 'online' | 'visible'): void {
    // A stream from before the network was lost is dead, even if nothing has reported it yet.
    if (this.stream && cause !== 'online') return;
    if (this.followed !== undefined) void this.follow();
  }

  /** Follows one stream until it ends, and schedules the next one. A later call replaces an earlier one. */
  private async follow(): Promise<void> {
    this.stream?.abort();
    clearTimeout(this.timer);
    const own = new AbortController();
    this.stream = own;
    const startedAt = performance.now();
    const error = await this.read(own).catch((cause: unknown) => cause as { status?: number } & Error);
    clearTimeout(this.timer);
    if (this.stream !== own) return;
    this.stream = undefined;
    own.abort();
    this.stopWaiting();
    if (error?.status !== undefined && FINAL.includes(error.status)) {
      console.warn(`Quire: cannot follow changes in ${this.followed}: ${error.message}`);
      return this.stop();
    }
    // A browser has six connections per host for all tabs. A hidden tab gives its connection back when the service ends
    // the stream, and catches up when it is visible again.
    if (!error && this.options.isHidden()) return;
    if (performance.now() - startedAt > GOOD_AFTER_MS) this.failures = 0;
    const wait = error || this.failures > 0 ? waitMs(this.failures) : 0;
    this.failures++;
    this.timer = setTimeout(() => this.follow(), wait);
  }

  /** Resolves when the service ends the stream, rejects when the connection fails. */
  private async read(own: AbortController): Promise<undefined> {
    const alarm = () => own.abort();
    this.timer = setTimeout(alarm, SILENCE_MS);
    const collections = (this.followed ?? '').split(',');
    const response = await this.options.open(collections, this.lastEventId, own.signal);
    if (!response.headers.get('content-type')?.startsWith('text/event-stream') || !response.body) {
      throw new Error('The response is not a stream of events.');
    }
    const parser = new EventParser((event) => this.stream === own && this.take(event));
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done || this.stream !== own) return;
      clearTimeout(this.timer);
      this.timer = setTimeout(alarm, SILENCE_MS);
      parser.push(value);
    }
  }

  private take({ id, name, data }: ServerEvent): void {
    if (id !== undefined) this.lastEventId = id;
    if (name === 'open') {
      this.open = new Set(this.followed?.split(','));
      this.stopWaiting();
    } else if (name === 'reset') {
      void this.reset();
    } else if (name === 'message' && data !== undefined) {
      const change = JSON.parse(data) as Quire.Change;
      // Before it is open, the stream sends missed changes. A collection that is new in it has missed none.
      if (this.open.has(change.collection)) this.publish(change);
    }
  }

  private async reset(): Promise<void> {
    await this.options.onReset?.();
    for (const collection of this.callbacks.keys()) this.publish({ type: 'reset', collection });
  }

  private publish(change: Quire.Change): void {
    for (const callback of this.callbacks.get(change.collection) ?? []) {
      try {
        callback(change);
      } catch (error) {
        // An error in the page's own code: the console shows it, and the other subscriptions continue.
        reportError(error);
      }
    }
  }
}
