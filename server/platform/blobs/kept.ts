import { AppError } from '../../lib/errors.ts';
import { Sweeper } from '../../lib/loops/sweeper.ts';
import type { Log } from '../http/index.ts';
import type { Storage, Tx } from '../storage/index.ts';
import type { Blobs } from './blobs.ts';
import { crossOut, forget, listDue, lockForAll, makeDue, noteTrash } from './store.ts';

/** Far longer than it takes to write bytes and their row. */
const WRITE_MS = 3600 * 1000;
const SWEEP_EVERY_MS = 3600 * 1000;
/** Leaves time for the transaction that released a blob to end. */
const SWEEP_SOON_MS = 500;

/** Blobs that are written at the same time: a bucket may be far away. */
const AT_ONCE = 8;

const NOT_REMOVED = 'a deleted file could not be removed yet';

interface KeptBlobsOptions {
  storage: Pick<Storage, 'db' | 'engine'>;
  blobs: Blobs;
  log: Pick<Log, 'warn'>;
  now: () => number;
}

/**
 * Blobs that belong to rows. A key is in the trash before its bytes are written, and again from the transaction that
 * deletes its row until the bytes are deleted. So whatever fails in between, every stored blob is known to a table.
 */
export class KeptBlobs {
  private readonly sweeper: Sweeper;
  private locks = 0;

  constructor(private readonly options: KeptBlobsOptions) {
    this.sweeper = new Sweeper({
      everyMs: SWEEP_EVERY_MS,
      log: options.log,
      purges: { 'deleted files': (isStopping) => this.purge(isStopping) },
    });
    void this.sweep();
  }

  /** Writes the bytes and, in one transaction, the row they belong to. If anything fails, neither is kept. */
  keep<Row>(key: string, bytes: Uint8Array, insertRow: (tx: Tx) => Promise<Row>): Promise<Row> {
    return this.keepAll([{ key, bytes }], insertRow);
  }

  /** Writes several blobs and, in one transaction, the rows they belong to. There may be none. */
  keepAll<Row>(
    parts: Array<{ key: string; bytes: Uint8Array }>,
    insertRows: (tx: Tx) => Promise<Row>,
  ): Promise<Row> {
    const given = parts.map(({ key, bytes }) => ({ key, content: bytes }));
    return this.keepSome(given, async (tx, take) => {
      await take(parts.map(({ key }) => key));
      return insertRows(tx);
    });
  }

  /**
   * Writes blobs whose rows may turn out not to need all of them: `take` names those that they have. The
   * bytes of the others are removed.
   */
  async keepSome<Row>(
    given: Array<{ key: string; content: Uint8Array | { path: string } }>,
    insertRows: (tx: Tx, take: (keys: string[]) => Promise<void>) => Promise<Row>,
  ): Promise<Row> {
    const { storage, now } = this.options;
    const keys = given.map(({ key }) => key);
    const taken = new Set<string>();
    await noteTrash(storage.db, keys, now() + WRITE_MS);
    try {
      await runEach(given, AT_ONCE, ({ key, content }) => this.put(key, content));
      const row = await storage.db.transaction().execute((tx) =>
        insertRows(tx, async (some) => {
          if ((await crossOut(tx, some, now())) < some.length)
            throw new Error(`writing ${some.join(', ')} took too long`);
          for (const key of some) taken.add(key);
        }),
      );
      for (const key of keys) if (!taken.has(key)) await this.removeUnlessKept(key);
      return row;
    } catch (error) {
      // A store that did not respond may still complete the write. The sweep removes those bytes later.
      if (error instanceof AppError && error.code === 'UNAVAILABLE') throw error;
      for (const key of keys) await this.removeUnlessKept(key);
      throw error;
    }
  }

  get(key: string): ReturnType<Blobs['get']> {
    return this.options.blobs.get(key);
  }

  open(key: string): ReturnType<Blobs['open']> {
    return this.options.blobs.open(key);
  }

  slice(...of: Parameters<Blobs['slice']>): ReturnType<Blobs['slice']> {
    return this.options.blobs.slice(...of);
  }

  /** Releases blobs in the transaction that deletes their rows. The bytes are deleted soon afterwards. */
  async release(tx: Tx, keys: string[]): Promise<void> {
    await noteTrash(tx, keys, this.options.now());
    setTimeout(() => this.sweep(), SWEEP_SOON_MS).unref();
  }

  /** Deletes blobs that are due, one sweep at a time: at the start, every hour, and soon after a release. */
  sweep(): Promise<void> {
    return this.sweeper.sweep();
  }

  /**
   * Prevents the deletion of any blob that has a row, on all nodes, until the returned function is called. That
   * function throws if the lock may have been lost, because the connection to the database was.
   */
  async lock(): Promise<() => Promise<void>> {
    const { storage } = this.options;
    this.locks++;
    const unlock = () => {
      this.locks--;
      void this.sweep();
    };
    try {
      // Blobs that are being removed right now were released earlier.
      await this.sweeper.idle();
      if (storage.engine === 'sqlite') return async () => unlock();
      const unlockAll = await lockForAll(storage.db);
      return () => unlockAll().finally(unlock);
    } catch (error) {
      unlock();
      throw error;
    }
  }

  stop(): Promise<void> {
    return this.sweeper.stop();
  }

  private put(key: string, content: Uint8Array | { path: string }): Promise<void> {
    const { blobs } = this.options;
    return content instanceof Uint8Array ? blobs.put(key, content) : blobs.putFile(key, content.path);
  }

  /** Removes the bytes unless their row exists: a connection can be lost just after the commit was sent. */
  private async removeUnlessKept(key: string): Promise<void> {
    try {
      if ((await makeDue(this.options.storage.db, [key])) > 0) await this.remove(key);
    } catch (error) {
      this.options.log.warn({ err: error, key }, NOT_REMOVED);
    }
  }

  /** Deletes the bytes first: the key is forgotten only when the bytes are gone. */
  private async remove(key: string): Promise<void> {
    await this.options.blobs.delete(key);
    await forget(this.options.storage.db, key);
  }

  /** A failed removal does not stop the sweep. The next one tries again. */
  private async purge(isStopping: () => boolean): Promise<void> {
    const { storage, log, now } = this.options;
    if (this.locks > 0) return;
    for (let due = await listDue(storage, now(), ''); due.length > 0; ) {
      for (const key of due) {
        if (isStopping() || this.locks > 0) return;
        await this.remove(key).catch((error: unknown) => log.warn({ err: error, key }, NOT_REMOVED));
      }
      due = await listDue(storage, now(), due.at(-1) ?? '');
    }
  }
}

/** Does the work for each item, a few at a time. Begins no more after a failure, and waits for those that have begun. */
async function runEach<Item>(
  items: Item[],
  atOnce: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const queue = items.values();
  const run = async () => {
    for (const item of queue) await work(item);
  };
  const ended = await Promise.allSettled(
    Array.from({ length: atOnce }, () =>
      run().catch((error: unknown) => {
        queue.return?.();
        throw error;
      }),
    ),
  );
  const failure = ended.find((each) => each.status === 'rejected');
  if (failure) throw failure.reason;
}
