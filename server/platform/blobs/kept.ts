import { AppError } from '../../lib/errors.ts';
import type { Log } from '../http/index.ts';
import type { Storage, Tx } from '../storage/index.ts';
import type { Blobs } from './blobs.ts';
import { crossOut, forget, holdForAll, listDue, makeDue, noteTrash } from './store.ts';

/** Far longer than writing bytes and their row can take. */
const WRITE_MS = 3600 * 1000;
const SWEEP_EVERY_MS = 3600 * 1000;
/** Time for the transaction that let go of something to end. */
const SWEEP_SOON_MS = 500;

const NOT_REMOVED = 'a deleted file could not be removed yet';

/**
 * Blobs that belong to rows. A key is in the trash before its bytes are written, and again from the transaction that
 * deletes its row until the bytes are gone; so whatever breaks off in between, nothing is left that nobody knows of.
 */
export interface KeptBlobs {
  /** Writes the bytes, and in one transaction the row they belong to. Fails as a whole, and then keeps nothing. */
  keep<Row>(key: string, bytes: Uint8Array, insertRow: (tx: Tx) => Promise<Row>): Promise<Row>;
  get: Blobs['get'];
  open: Blobs['open'];
  /** Lets go of blobs in the transaction that deletes their rows; the bytes go soon after it. */
  letGo(tx: Tx, keys: string[]): Promise<void>;
  /** Deletes what is due; done at the start, every hour, and soon after something was let go. */
  sweep(): Promise<void>;
  /**
   * From when this returns, no blob that has a row goes, on whichever node, until what it returns is called. That fails
   * when it cannot be said for sure: the database was lost meanwhile.
   */
  hold(): Promise<() => Promise<void>>;
  stop(): Promise<void>;
}

export function startKeptBlobs(options: {
  storage: Pick<Storage, 'db' | 'engine'>;
  blobs: Blobs;
  log: Pick<Log, 'warn'>;
  now: () => number;
}): KeptBlobs {
  const { storage, blobs, log, now } = options;
  const { db } = storage;
  let sweeping: Promise<void> = Promise.resolve();
  let isStopped = false;
  let holds = 0;

  /** The bytes first: a key is forgotten only when nothing is left of it. */
  async function remove(key: string): Promise<void> {
    await blobs.delete(key);
    await forget(db, key);
  }

  /** What fails is left for the next time, and keeps nothing else from being removed. */
  async function sweepOnce(): Promise<void> {
    for (let due = await listDue(storage, now(), ''); due.length > 0; ) {
      for (const key of due) {
        if (isStopped || holds > 0) return;
        await remove(key).catch((error: unknown) => log.warn({ err: error, key }, NOT_REMOVED));
      }
      due = await listDue(storage, now(), due.at(-1) ?? '');
    }
  }

  /** One after the other. */
  function sweep(): Promise<void> {
    if (isStopped || holds > 0) return sweeping;
    sweeping = sweeping
      .then(sweepOnce)
      .catch((error: unknown) => log.warn({ err: error }, 'deleted files could not be looked for'));
    return sweeping;
  }

  void sweep();
  const hourly = setInterval(sweep, SWEEP_EVERY_MS);

  return {
    async keep(key, bytes, insertRow) {
      await noteTrash(db, [key], now() + WRITE_MS);
      try {
        await blobs.put(key, bytes);
        return await db.transaction().execute(async (tx) => {
          if (!(await crossOut(tx, key, now()))) throw new Error(`writing ${key} took too long`);
          return insertRow(tx);
        });
      } catch (error) {
        // A store that was silent may do yet what it was told: what it has then goes with the sweep, when it is due.
        if (error instanceof AppError && error.code === 'UNAVAILABLE') throw error;
        // Unless the row is there after all: a connection can be lost just after it was told to commit.
        await makeDue(db, key)
          .then((isTrash) => (isTrash ? remove(key) : undefined))
          .catch((cause: unknown) => log.warn({ err: cause, key }, NOT_REMOVED));
        throw error;
      }
    },
    get: (key) => blobs.get(key),
    open: (key) => blobs.open(key),
    async letGo(tx, keys) {
      await noteTrash(tx, keys, now());
      setTimeout(sweep, SWEEP_SOON_MS).unref();
    },
    sweep,
    async hold() {
      holds++;
      const end = () => {
        holds--;
        void sweep();
      };
      try {
        // What is being removed at this moment was let go before.
        await sweeping;
        if (storage.engine === 'sqlite') return async () => end();
        const release = await holdForAll(db);
        return () => release().finally(end);
      } catch (error) {
        end();
        throw error;
      }
    },
    async stop() {
      isStopped = true;
      clearInterval(hourly);
      await sweeping;
    },
  };
}
