import type { ServerEvent } from '../../contract/rules/event-stream.ts';
import { type ConnectionOptions, EventConnection } from '../event-connection.ts';

export type Callback = (change: Quire.Change) => void;

export interface LiveOptions extends Pick<ConnectionOptions, 'onWake' | 'isHidden'> {
  /** Opens the stream. Rejects with a `status` if the service refuses it. */
  open(collections: string[], lastEventId: string | undefined, signal: AbortSignal): Promise<Response>;
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
  private readonly connection: EventConnection;
  private isUpdating = false;

  constructor(private readonly options: LiveOptions) {
    this.connection = new EventConnection({
      ...options,
      open: (signal) => options.open((this.followed ?? '').split(','), this.lastEventId, signal),
      onEvent: (event) => this.take(event),
      onEnd: () => this.stopWaiting(),
      onRefused: (error) => {
        console.warn(`Quire: cannot follow changes in ${this.followed}: ${error.message}`);
        this.stop();
      },
    });
  }

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
      this.callbacks.has(collection) &&
      !this.open.has(collection) &&
      (this.connection.isConnecting || this.isUpdating);
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
      this.connection.start();
    });
  }

  private stop(): void {
    this.connection.stop();
    this.followed = undefined;
    this.lastEventId = undefined;
    this.open = new Set();
    this.stopWaiting();
  }

  private stopWaiting(): void {
    for (const resolve of this.waiting) resolve();
    this.waiting.clear();
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
