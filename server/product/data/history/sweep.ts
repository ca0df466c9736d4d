import { setImmediate } from 'node:timers/promises';
import { HISTORY_SHARE } from '../../../../contract/rules/limits.ts';
import type { Db, GroupCommit, PageRow, Tx } from '../../../platform/storage/index.ts';
import type { HistoryNeeds } from '../../ports.ts';
import { listStoredCollections } from '../collections/store.ts';
import { removeEntries } from '../records/forget-log.ts';
import {
  listBefore,
  listLargeLogs,
  listOldest,
  listOldestTimes,
  removeOldSchemas,
  setLogFrom,
  sumBytes,
} from './size-store.ts';

/** Entries that are removed in one transaction: few, because other requests wait. */
const BATCH = 200;
const DAY_MS = 24 * 3600 * 1000;
/** The logs of pages that are smaller than this are not compared with a quota. */
const SMALL_BYTES = 64 * 1024;
/** Bytes that an owner's log can grow by until it is compared with their quota, without waiting for the next sweep. */
const GROWTH_BYTES = 16 * 1024 * 1024;

export interface SweepContext {
  db: Db;
  commit: GroupCommit;
  now: () => number;
  config: { historyDays: number };
  /** The quota of a user in bytes; null without a limit. */
  readQuota(userId: number): Promise<number | null>;
  findPage(db: Db, id: number): Promise<PageRow | undefined>;
}

/** Removes what is too old from the record log, and the oldest of what is too much for its owner. */
export class LogSweep {
  readonly #context: SweepContext;
  /** How much the logs of owners have grown on this node since they were compared with their quotas. */
  readonly #grown = new Map<number, number>();
  readonly #trimming = new Map<number, Promise<void>>();
  needs: HistoryNeeds = { listWanted: async () => new Map(), listRestoring: async () => new Map() };

  constructor(context: SweepContext) {
    this.#context = context;
  }

  /** Call this for each entry, so that nobody can fill the disk between two sweeps. */
  noteGrowth(ownerId: number, bytes: number): void {
    const grown = (this.#grown.get(ownerId) ?? 0) + bytes;
    this.#grown.set(ownerId, grown);
    if (grown < GROWTH_BYTES || this.#trimming.has(ownerId)) return;
    this.#grown.delete(ownerId);
    const trimming = this.#trimAll(() => false, ownerId)
      // The next sweep tries again.
      .catch(() => undefined)
      .finally(() => this.#trimming.delete(ownerId));
    this.#trimming.set(ownerId, trimming);
  }

  async purge(isStopping: () => boolean): Promise<void> {
    const { db, now, config } = this.#context;
    const before = now() - config.historyDays * DAY_MS;
    const wanted = await this.needs.listWanted();
    for (let after = 0; !isStopping(); await setImmediate()) {
      const needed = earliest(wanted, await this.needs.listRestoring());
      const findEnd = ({ page_id }: { page_id: number }) => Math.min(before, needed.get(page_id) ?? before);
      const entries = await listOldest(db, after, BATCH);
      const last = entries.at(-1);
      if (!last || entries.every(({ at }) => at >= before)) break;
      const old = entries.filter((entry) => entry.at < findEnd(entry));
      const ends = new Map(old.map((entry) => [entry.collection_id, findEnd(entry)]));
      const noteEnds = async (tx: Tx) => {
        for (const [id, end] of ends) await setLogFrom(tx, [id], end);
      };
      if (old.length > 0) await this.#remove(old, noteEnds);
      after = last.id;
    }
    const restoring = await this.needs.listRestoring();
    await removeOldSchemas(db, before, { except: [...wanted.keys(), ...restoring.keys()] });
    this.#grown.clear();
    await this.#trimAll(isStopping);
  }

  /** Trims the logs of all owners, or of one. */
  async #trimAll(isStopping: () => boolean, ownerId?: number): Promise<void> {
    const { db, findPage } = this.#context;
    const pages = new Map<number, number[]>();
    for (const id of await listLargeLogs(db, SMALL_BYTES)) {
      const owner = (await findPage(db, id))?.owner_id;
      if (owner === undefined || (ownerId !== undefined && owner !== ownerId)) continue;
      pages.set(owner, [...(pages.get(owner) ?? []), id]);
    }
    for (const [owner, ids] of pages) await this.#trim(owner, ids, isStopping);
  }

  /**
   * Removes the oldest entries of an owner until their log fits into its share. What somebody wants to keep goes last, and
   * what a restore needs stays.
   */
  async #trim(ownerId: number, pageIds: number[], isStopping: () => boolean): Promise<void> {
    const { db, readQuota } = this.#context;
    const quota = await readQuota(ownerId);
    if (quota === null) return;
    const isDone = async () => isStopping() || (await sumBytes(db, pageIds)) <= quota * HISTORY_SHARE;
    const wanted = await this.needs.listWanted();
    const listBoth = async () => earliest(wanted, await this.needs.listRestoring());
    await this.#trimBefore(pageIds, listBoth, isDone);
    await this.#trimBefore(pageIds, () => this.needs.listRestoring(), isDone);
  }

  /** Removes the oldest entries that are not needed, then such earlier schemas. */
  async #trimBefore(
    pageIds: number[],
    listNeeded: () => Promise<ReadonlyMap<number, number>>,
    isDone: () => Promise<boolean>,
  ): Promise<void> {
    const { db, now } = this.#context;
    while (!(await isDone())) {
      const needed = await listNeeded();
      const findEnd = (pageId: number) => needed.get(pageId) ?? Number.MAX_SAFE_INTEGER;
      const oldest = (await listOldestTimes(db, pageIds)).find(({ page_id, at }) => at < findEnd(page_id));
      if (!oldest) {
        for (const id of pageIds) await this.forget(id, Math.min(now(), findEnd(id)));
        return;
      }
      const entries = await listBefore(db, oldest.id, findEnd(oldest.page_id), BATCH);
      const last = entries.at(-1)?.at ?? 0;
      await this.#remove(entries, (tx) => setLogFrom(tx, [oldest.id], last + 1));
      await setImmediate();
    }
  }

  /** Removes the log of a page before a time. */
  async forget(pageId: number, before: number): Promise<void> {
    const { db, commit } = this.#context;
    for (const { id } of await listStoredCollections(db, pageId)) {
      await commit.run((tx) => setLogFrom(tx, [id], before));
      for (let entries = [{ id: 0 }]; entries.length > 0; await setImmediate()) {
        entries = await listBefore(db, id, before, BATCH);
        if (entries.length > 0) await this.#remove(entries);
      }
    }
    await removeOldSchemas(db, before, { only: pageId });
  }

  async #remove(entries: Array<{ id: number }>, also?: (tx: Tx) => Promise<void>): Promise<void> {
    const ids = entries.map(({ id }) => id);
    await this.#context.commit.run(
      async (tx) => {
        await also?.(tx);
        await removeEntries(tx, ids);
      },
      { alone: true },
    );
  }
}

/** The earlier time of each page that one of them has. */
function earliest(one: ReadonlyMap<number, number>, other: ReadonlyMap<number, number>): Map<number, number> {
  const times = new Map(one);
  for (const [id, at] of other) times.set(id, Math.min(at, times.get(id) ?? at));
  return times;
}
