import type { Log } from '../../../platform/http/index.ts';
import { type Db, storageFailure } from '../../../platform/storage/index.ts';
import { addViews } from '../store.ts';

const FLUSH_EVERY_MS = 5_000;

/** Counts views in memory and writes them in batches. */
export interface Views {
  count(pageId: number): void;
  /** Counted, but not written yet. */
  pending(pageId: number): number;
  /** The same, of all pages together. */
  allPending(): number;
  /** Writes what has been counted so far, unless the storage cannot take it; then it stays pending. */
  flushIfPossible(): Promise<void>;
  stop(): Promise<void>;
}

export function startViews({ db, log }: { db: Db; log: Log }): Views {
  let counts = new Map<number, number>();
  let writing: Promise<void> | undefined;

  async function flush(): Promise<void> {
    while (writing) await writing.catch(() => undefined);
    if (counts.size === 0) return;
    const batch = counts;
    counts = new Map();
    writing = addViews(db, batch).catch((error: unknown) => {
      for (const [id, count] of batch) counts.set(id, (counts.get(id) ?? 0) + count);
      throw error;
    });
    try {
      await writing;
    } finally {
      writing = undefined;
    }
  }

  const timer = setInterval(() => {
    flush().catch((error: unknown) =>
      log.warn({ err: error }, 'views could not be written; they are kept for the next try'),
    );
  }, FLUSH_EVERY_MS);

  return {
    count(pageId) {
      counts.set(pageId, (counts.get(pageId) ?? 0) + 1);
    },
    pending: (pageId) => counts.get(pageId) ?? 0,
    allPending: () => counts.values().reduce((sum, count) => sum + count, 0),
    async flushIfPossible() {
      await flush().catch((error: unknown) => {
        if (!storageFailure(error)) throw error;
      });
    },
    async stop() {
      clearInterval(timer);
      await flush();
    },
  };
}
