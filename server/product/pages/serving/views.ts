import type { Log } from '../../../platform/http/index.ts';
import { type Db, storageFailure } from '../../../platform/storage/index.ts';
import { addViews } from '../store.ts';

const FLUSH_EVERY_MS = 5_000;

/** Counts views in memory and writes them in batches. */
export class Views {
  readonly #options: { db: Db; log: Log };
  readonly #timer: ReturnType<typeof setInterval>;
  #counts = new Map<number, number>();
  #writing: Promise<void> | undefined;

  constructor(options: { db: Db; log: Log }) {
    this.#options = options;
    this.#timer = setInterval(() => {
      this.#flush().catch((error: unknown) =>
        options.log.warn({ err: error }, 'views could not be written; they are kept for the next try'),
      );
    }, FLUSH_EVERY_MS);
  }

  count(pageId: number): void {
    this.#counts.set(pageId, (this.#counts.get(pageId) ?? 0) + 1);
  }

  /** Counted, but not written yet. */
  pending(pageId: number): number {
    return this.#counts.get(pageId) ?? 0;
  }

  /** The same for all pages together. */
  allPending(): number {
    return this.#counts.values().reduce((sum, count) => sum + count, 0);
  }

  /** Writes the counts so far. If the storage fails, they stay pending. */
  async flushIfPossible(): Promise<void> {
    await this.#flush().catch((error: unknown) => {
      if (!storageFailure(error)) throw error;
    });
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#flush();
  }

  async #flush(): Promise<void> {
    while (this.#writing) await this.#writing.catch(() => undefined);
    if (this.#counts.size === 0) return;
    const batch = this.#counts;
    this.#counts = new Map();
    this.#writing = addViews(this.#options.db, batch).catch((error: unknown) => {
      for (const [id, count] of batch) this.#counts.set(id, (this.#counts.get(id) ?? 0) + count);
      throw error;
    });
    try {
      await this.#writing;
    } finally {
      this.#writing = undefined;
    }
  }
}
