import { setTimeout as wait } from 'node:timers/promises';
import type { RecordData } from '../../../../contract/rules/record-data.ts';
import type { Log } from '../../../platform/http/index.ts';
import type { Db, GroupCommit, Tx } from '../../../platform/storage/index.ts';
import { countedFor } from '../collections/collection.ts';
import { findCollectionById, readIndexes } from '../collections/store.ts';
import { toEntry, toSearchText } from '../indexes/maintain.ts';
import { dropIndexes, listIndexes, setIndexes } from '../indexes/store.ts';
import type { IndexWrites, StoredIndex } from '../indexes/write-store.ts';
import { beginTexts, rebuildLost } from '../search/write-store.ts';
import {
  findOpen,
  haveEnded,
  listSizes,
  listTexts,
  noteBuilt,
  type OpenIndex,
  readTime,
  removeIndex,
  removeSome,
  trackWrites,
} from './build-store.ts';

/** The most records and bytes that are added in one transaction, because other writes wait for it. */
const RECORDS = 200;
const BYTES = 128 * 1024;
/** The most entries that are removed in one transaction, and the most texts of a search. */
const REMOVED = 1_000;
const REMOVED_TEXTS = 100;
/** How long the entries of a dropped index stay: a query that began before may still read them. */
const DROP_AFTER_MS = 60_000;
/** How often to look for indexes that other nodes have added or dropped. */
const CHECK_EVERY_MS = 15_000;
/** How long to wait for transactions that began before an index was added. */
const RETRY_MS = 200;
/** How often at most indexes are built again because a node of an older version has written without them. */
const REBUILD_EVERY_MS = 10 * 60_000;

interface BuilderOptions {
  db: Db;
  engine: 'sqlite' | 'postgres';
  commit: GroupCommit;
  now: () => number;
  writes: IndexWrites;
  log: Pick<Log, 'warn'>;
}

/** Builds and removes indexes and searches in the background. Several nodes can do it at the same time: each takes the next piece. */
export class IndexBuilder {
  readonly #options: BuilderOptions;
  /** When this node first saw an index that is being built, by the clock of PostgreSQL. */
  readonly #seen = new Map<number, string>();
  readonly #stopping = new AbortController();
  #running: Promise<unknown> | undefined;
  #isWoken = false;
  /** Whether it is known that the texts of all searches are there. */
  #isChecked = false;
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
      .catch((err: unknown) => this.#noteFailure(err))
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
      await setIndexes(tx, collectionId, { wanted: indexes, now: now() });
    });
    this.wake();
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    if (!this.#isChecked) await rebuildLost(this.#options.db);
    this.#isChecked = true;
    while (this.#isWoken && !signal.aborted) {
      this.#isWoken = false;
      for (let after = 0; !signal.aborted; ) {
        const { db, now } = this.#options;
        const open = await findOpen(db, after, now() - DROP_AFTER_MS);
        if (!open) break;
        after = open.id;
        const startedAt = performance.now();
        // One that fails is tried again later, and the others are built before that.
        const isDone = await this.#work(open).catch((err: unknown) => this.#noteFailure(err, open.id));
        if (!isDone) this.#isWoken = true;
        // Leave at least half of the time to other work.
        await wait(isDone === 'later' ? RETRY_MS : performance.now() - startedAt, undefined, {
          signal,
        }).catch(() => undefined);
        if (isDone === 'later') this.#isWoken = true;
      }
    }
  }

  #noteFailure(err: unknown, index?: number): true {
    if (!this.#stopping.signal.aborted)
      this.#options.log.warn({ err, index }, 'could not build an index of records; trying again later');
    return true;
  }

  /** Does a piece of work. Returns whether this index is done. */
  async #work(open: OpenIndex): Promise<boolean | 'later'> {
    const { commit } = this.#options;
    if (open.storage_type === null || open.state === 'dropped')
      return commit.run((tx) => this.#remove(tx, open), { alone: true });
    if (!(await this.#isKnownToWriters(open.id))) return 'later';
    return commit.run((tx) => this.#build(tx, open), { alone: true });
  }

  /** Whether every write from now on sees an index. On SQLite it does: no other transaction is open when one commits. */
  async #isKnownToWriters(id: number): Promise<boolean> {
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
    if (built_to === '') {
      await trackWrites(tx, collection_id);
      for (const { id, kind } of together) if (kind === 'search') await beginTexts(tx, id);
    }
    const last = await findEnd(tx, collection_id, index);
    if (last === undefined) {
      await noteBuilt(tx, ids, { state: 'ready', changed_at: this.#options.now() });
      for (const each of ids) this.#seen.delete(each);
      return true;
    }
    const { rows } = await listTexts(tx, collection_id, built_to, last);
    const records = rows.map(({ id, created_by, text }) => ({
      record: { id, userId: countedFor(storage_type, created_by) },
      data: JSON.parse(text) as RecordData,
    }));
    const add = <Item>(kind: OpenIndex['kind'], toItem: (...given: Parameters<typeof toEntry>) => Item) =>
      together
        .filter((each) => each.kind === kind)
        .flatMap((each) => records.map(({ record, data }) => toItem(each, record, data)));
    await this.#options.writes.add(tx, add('field', toEntry));
    await this.#options.writes.search.add(tx, add('search', toSearchText));
    await noteBuilt(tx, ids, { built_to: last, added: rows.length });
    return false;
  }

  async #remove(tx: Tx, { id, kind, collection_id }: OpenIndex): Promise<boolean> {
    const { search } = this.#options.writes;
    const isMore =
      kind === 'search' ? await search.removeSome(tx, id, REMOVED_TEXTS) : await removeSome(tx, id, REMOVED);
    if (isMore) return false;
    await removeIndex(tx, id);
    this.#seen.delete(id);
    // If the page was not deleted after all, its schema still names the index.
    const collection = await findCollectionById(tx, collection_id);
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
