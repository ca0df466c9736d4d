import { setImmediate } from 'node:timers/promises';
import type { Log } from '../../../platform/http/index.ts';
import { type Db, FlushLoop } from '../../../platform/storage/index.ts';
import { addViews } from '../model/page-store.ts';

const FLUSH_EVERY_MS = 5_000;
/** Pages in one transaction. SQLite works in this thread, so other requests get their turn after each. */
const PAGES_PER_WRITE = 100;

/** Counts views in memory and writes them in batches. */
export class Views {
  readonly #db: Db;
  readonly #loop: FlushLoop;
  readonly #counts = new Map<number, number>();

  constructor({ db, log }: { db: Db; log: Log }) {
    this.#db = db;
    this.#loop = new FlushLoop({
      everyMs: FLUSH_EVERY_MS,
      write: () => this.#write(),
      log,
      failure: 'views could not be written; they are kept for the next try',
    });
  }

  count(pageId: number): void {
    this.#counts.set(pageId, (this.#counts.get(pageId) ?? 0) + 1);
  }

  /** The views of a page that are counted, but not written yet. */
  pending(pageId: number): number {
    return this.#counts.get(pageId) ?? 0;
  }

  /** The views of all pages that are counted, but not written yet. */
  allPending(): number {
    return this.#counts.values().reduce((sum, count) => sum + count, 0);
  }

  /** Writes the counts so far. If the storage fails, they stay pending. */
  flushIfPossible(): Promise<void> {
    return this.#loop.flushIfPossible();
  }

  stop(): Promise<void> {
    return this.#loop.stop();
  }

  async #write(): Promise<void> {
    // Write in the order of ids, so that two nodes that write at the same time cannot deadlock.
    const counts = [...this.#counts].sort(([a], [b]) => a - b);
    for (let at = 0; at < counts.length; at += PAGES_PER_WRITE) {
      const some = counts.slice(at, at + PAGES_PER_WRITE);
      await addViews(this.#db, some);
      for (const [id, count] of some) this.#written(id, count);
      await setImmediate();
    }
  }

  #written(pageId: number, count: number): void {
    const left = this.pending(pageId) - count;
    if (left > 0) this.#counts.set(pageId, left);
    else this.#counts.delete(pageId);
  }
}
