import type { Broadcast } from '../../platform/coordination/events/index.ts';

/** What a node tells the others: a page, and the time before which none of its changes may be. */
const TOPIC = 'page time';

/**
 * The times of changes of pages. They never go back, also if the clock is set back: otherwise a moment would have
 * changes that came after it, and a restore would leave those as they are.
 */
export class PageTimes {
  readonly #now: () => number;
  readonly #broadcast: Broadcast;
  readonly #last = new Map<number, number>();

  constructor({ now, broadcast }: { now: () => number; broadcast: Broadcast }) {
    this.#now = now;
    this.#broadcast = broadcast;
    broadcast.subscribe(TOPIC, (message) => {
      const [pageId, at] = message as [number, number];
      this.#raise(pageId, at);
    });
  }

  /** The time for a change of a page. It is a property, because it is passed on without its object. */
  readonly read = (pageId: number): number => this.#raise(pageId, this.#now());

  /** Notes a moment that is about to be stored, on all nodes: what changes after it is not before it. */
  note(pageId: number, at: number): void {
    this.#raise(pageId, at);
    this.#broadcast.publish(TOPIC, [pageId, at]);
  }

  /** Learns the times of what is stored. */
  learn(times: ReadonlyMap<number, number>): void {
    for (const [pageId, at] of times) this.#raise(pageId, at);
  }

  #raise(pageId: number, at: number): number {
    const last = Math.max(at, this.#last.get(pageId) ?? 0);
    this.#last.set(pageId, last);
    return last;
  }
}
