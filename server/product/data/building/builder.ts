import { setTimeout as wait } from 'node:timers/promises';
import type { RecordData } from '../../../../contract/rules/record-data.ts';
import type { Db, GroupCommit, Tx } from '../../../platform/storage/index.ts';
import { countedFor } from '../collections/collection.ts';
import { findStored, readIndexes } from '../collections/store.ts';
import { toEntry } from '../indexes/maintain.ts';
import { dropIndexes, listIndexes, setIndexes } from '../indexes/store.ts';
import type { IndexWrites, StoredIndex } from '../indexes/write-store.ts';
import {
  beginFollowing,
  findOpen,
  haveEnded,
  listSizes,
  listTexts,
  noteBuilt,
  type OpenIndex,
  readTime,
  removeSome,
} from './build-store.ts';

/** Records and bytes that are added in one transaction: few, because other requests wait. */
const RECORDS = 200;
const BYTES = 128 * 1024;
/** Entries that are removed in one transaction. */
const REMOVED = 1_000;
/** A query that has found an index before it was dropped has ended by then. */
const DROP_AFTER_MS = 60_000;
/** An index of another node is found by then. */
const CHECK_EVERY_MS = 15_000;
/** The time to wait if transactions of before have not ended. */
const RETRY_MS = 200;
/** Indexes that another version's node has spoilt are not built again more often. */
const REBUILD_EVERY_MS = 10 * 60_000;

interface BuilderOptions {
  db: Db;
  engine: 'sqlite' | 'postgres';
  commit: GroupCommit;
  now: () => number;
  writes: IndexWrites;
  log: { warn(fields: object, message: string): void };
}

/** Builds and removes indexes in the background. Several nodes can do it at the same time: each takes the next piece. */
export class IndexBuilder {
  readonly #options: BuilderOptions;
  /** When this node first saw an index that is being built, by the clock of PostgreSQL. */
  readonly #seen = new Map<number, string>();
  readonly #stopping = new AbortController();
  #running: Promise<void> | undefined;
  #isWoken = false;
  #timer: ReturnType<typeof setInterval>;

  constructor(options: BuilderOptions) {
    this.#options = options;
    this.#timer = setInterval(() => this.wake(), CHECK_EVERY_MS);
    this.#timer.unref();
    this.wake();
  }

  /** Call this when there may be something to do. */
  wake(): void {
    this.#isWoken = true;
    if (this.#running || this.#stopping.signal.aborted) return;
    this.#running = this.#run()
      .catch((err: unknown) => {
        if (!this.#stopping.signal.aborted)
          this.#options.log.warn({ err }, 'could not build an index of records; trying again later');
      })
      .finally(() => {
        this.#running = undefined;
      });
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#stopping.abort();
    await this.#running;
  }

  /** Builds the indexes of a collection again, because a node that does not know indexes has written. */
  async rebuild(collectionId: number): Promise<void> {
    const { commit, now } = this.#options;
    await commit.run(async (tx) => {
      const indexes = await listIndexes(tx, collectionId);
      const newest = Math.max(...indexes.map(({ changed_at }) => changed_at));
      if (indexes.some(({ state }) => state === 'building') || newest > now() - REBUILD_EVERY_MS) return;
      await dropIndexes(
        tx,
        indexes.map(({ id }) => id),
        now(),
      );
      await setIndexes(tx, collectionId, { wanted: indexes.map(({ field }) => field), now: now() });
    });
    this.wake();
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (this.#isWoken && !signal.aborted) {
      this.#isWoken = false;
      for (let after = 0; !signal.aborted; ) {
        const { db, now } = this.#options;
        const open = await findOpen(db, after, now() - DROP_AFTER_MS);
        if (!open) break;
        after = open.id;
        const startedAt = performance.now();
        const isDone = await this.#work(open);
        if (!isDone) this.#isWoken = true;
        // Others have at least half of the time.
        await wait(isDone === 'later' ? RETRY_MS : performance.now() - startedAt, undefined, {
          signal,
        }).catch(() => undefined);
        if (isDone === 'later') this.#isWoken = true;
      }
    }
  }

  /** Does a piece of work. Returns whether this index is done. */
  async #work(open: OpenIndex): Promise<boolean | 'later'> {
    const { commit } = this.#options;
    if (open.storage_type === null || open.state === 'dropped')
      return commit.run((tx) => this.#remove(tx, open), { alone: true });
    if (!(await this.#isSafe(open.id))) return 'later';
    return commit.run((tx) => this.#build(tx, open), { alone: true });
  }

  /** Whether all writes know about an index. On SQLite, no transaction began before it was committed. */
  async #isSafe(id: number): Promise<boolean> {
    const { db, engine } = this.#options;
    if (engine === 'sqlite') return true;
    const seenAt = this.#seen.get(id) ?? (await readTime(db));
    this.#seen.set(id, seenAt);
    return haveEnded(db, seenAt);
  }

  /** Adds the next records to the indexes of a collection that are equally far. */
  async #build(tx: Tx, { id, collection_id, storage_type }: OpenIndex): Promise<boolean> {
    const indexes = await this.#options.writes.lock(tx, collection_id);
    const index = indexes.find((each) => each.id === id && each.state === 'building');
    if (!index || storage_type === null) return true;
    const { built_to } = index;
    const together = indexes.filter((each) => each.state === 'building' && each.built_to === built_to);
    const ids = together.map((each) => each.id);
    if (built_to === '') await beginFollowing(tx, collection_id);
    const last = await findEnd(tx, collection_id, index);
    if (last === undefined) {
      await noteBuilt(tx, ids, { state: 'ready', changed_at: this.#options.now() });
      for (const each of ids) this.#seen.delete(each);
      return true;
    }
    const { rows } = await listTexts(tx, collection_id, built_to, last);
    const entries = rows.flatMap((row) => {
      const data = JSON.parse(row.text) as RecordData;
      const userId = countedFor(storage_type, row.created_by);
      return together.map((each) => toEntry(each, { id: row.id, userId }, data));
    });
    await this.#options.writes.add(tx, entries);
    await noteBuilt(tx, ids, { built_to: last });
    return false;
  }

  async #remove(tx: Tx, { id, collection_id }: OpenIndex): Promise<boolean> {
    if (await removeSome(tx, id, REMOVED)) return false;
    this.#seen.delete(id);
    // The page of a dropped index can still be there, with its schema.
    const collection = await findStored(tx, collection_id);
    if (collection && collection.is_indexed === 0 && collection.schema !== null) {
      const wanted = readIndexes(collection.schema);
      await setIndexes(tx, collection_id, { wanted, now: this.#options.now() });
      if (wanted.length > 0) this.#isWoken = true;
    }
    return true;
  }
}

/** The last record of the next piece. Undefined if there are no more. */
async function findEnd(tx: Tx, collectionId: number, { built_to }: StoredIndex): Promise<string | undefined> {
  const { rows } = await listSizes(tx, collectionId, built_to, RECORDS);
  let bytes = 0;
  let last: string | undefined;
  for (const { id, size } of rows) {
    bytes += size;
    if (last !== undefined && bytes > BYTES) break;
    last = id;
  }
  return last;
}
