import { setImmediate } from 'node:timers/promises';
import { MAX_COUNTED_RECORDS } from '../../../../contract/rules/limits.ts';
import type { RecordData } from '../../../../contract/rules/record-data.ts';
import type { ExportFile } from '../../../lib/formats/export-files.ts';
import type { Db, GroupCommit, PageRow, Tx } from '../../../platform/storage/index.ts';
import type { InCollection } from '../access/data-target.ts';
import { countedFor, parseRules } from '../collections/collection.ts';
import { findCollectionById, listStoredCollections, type StoredCollection } from '../collections/store.ts';
import { noteIndexed } from '../indexes/maintain.ts';
import { lockCopies } from '../log/gone-store.ts';
import { LOG_OVERHEAD, logWithoutData } from '../log/write-log.ts';
import type { Change } from '../records/changes.ts';
import { addToCounts } from '../records/count-store.ts';
import { countDeleted, type LoggedContext } from '../records/counts.ts';
import {
  forgetChanger,
  forgetDeleted,
  forgetDeletedAuthor,
  forgetLoggedAuthor,
  forgetRecords,
  someDeleted,
} from '../records/forget-log.ts';
import { findRecord, type RecordRow } from '../records/store.ts';
import { limitPiece, sendChanges, type WriteContext } from '../records/write.ts';
import { deleteRecord, type RecordWrites } from '../records/write-store.ts';
import { historyFile, recordsFile } from './export.ts';
import { type Among, deleteCounts, findNextCollection, forgetAuthor, measureOwn, someOwn } from './store.ts';

/** Records that are deleted in one transaction: few, because other requests wait. */
const BATCH = 100;

interface StoredContext extends LoggedContext, Pick<WriteContext, 'triggers'> {
  writes: RecordWrites;
  db: Db;
  commit: GroupCommit;
  findPage(db: Db, id: number): Promise<PageRow | undefined>;
  /** The time for a change of a page's data. */
  readTime(pageId: number): number;
  announce(target: InCollection, change: Change): void;
}

/** Some records of a user in a collection. */
interface OwnRecords {
  collection: StoredCollection;
  target: InCollection;
  userId: number;
  ids: string[];
}

/** The records of a user on all pages, their own or others', in any mode. */
export class StoredRecords {
  readonly #context: StoredContext;

  constructor(context: StoredContext) {
    this.#context = context;
  }

  /** The collections in which a user has stored something, whatever page they belong to. */
  async *eachCollection(userId: number, among: Among = 'records'): AsyncGenerator<StoredCollection> {
    for (let after = 0; ; ) {
      const next = await findNextCollection(this.#context.db, userId, after, among);
      if (!next) return;
      yield next;
      after = next.id;
      await setImmediate();
    }
  }

  measure(collection: StoredCollection, userId: number) {
    return measureOwn(this.#context.db, collection, userId, MAX_COUNTED_RECORDS);
  }

  /** The records of a user in a collection, and what they were. Deleted ones are part of that. */
  exportFiles(collection: StoredCollection, folder: string, userId: number): ExportFile[] {
    const { db } = this.#context;
    return [recordsFile(db, collection, folder, userId), historyFile(db, collection, folder, userId)];
  }

  /**
   * Deletes up to `most` records of a user on a page, in all modes. Returns how many it found: fewer if there
   * were no more.
   */
  async deleteOnPage(userId: number, page: PageRow, most: number): Promise<number> {
    let deleted = 0;
    for (const collection of await listStoredCollections(this.#context.db, page.id)) {
      for (let some = 1; some > 0 && deleted < most; deleted += some) {
        some = await this.#deleteSome(collection, page, userId);
        await setImmediate();
      }
      for (let some = 1; some > 0 && deleted < most; await setImmediate())
        some = await this.#forgetDeleted(collection, page, userId);
    }
    return deleted;
  }

  /**
   * Removes a user's private records, and their name from records that others see, which are part of the page and
   * belong to its owner.
   */
  async removeUserData(userId: number, isStopping: () => boolean): Promise<void> {
    const { db } = this.#context;
    for await (const collection of this.eachCollection(userId)) {
      const page = await this.#context.findPage(db, collection.page_id);
      if (!page) continue;
      for (let some = BATCH; some > 0 && !isStopping(); )
        some =
          collection.storage_type === 'solo_data'
            ? await this.#deleteSome(collection, page, userId)
            : await this.#forgetSome(collection, userId);
    }
    for await (const _ of forgetChanger(db, userId)) await setImmediate();
    await this.forgetCounts(userId);
  }

  /** Removes what says that a user had records, once they have none: counts, and their name in the record log. */
  async forgetCounts(userId: number): Promise<void> {
    const { db, commit } = this.#context;
    for (;;) {
      const found = await someDeleted(db, userId, undefined, BATCH);
      const [first] = found;
      if (!first) break;
      const { collection_id, storage_type } = first;
      const ids = found.flatMap((each) => (each.collection_id === collection_id ? each.record_id : []));
      // Nobody merges private records.
      const forget = storage_type === 'solo_data' ? forgetRecords : forgetDeletedAuthor;
      await commit.run((tx) => forget(tx, collection_id, ids), { alone: true });
      await setImmediate();
    }
    await db.transaction().execute((tx: Tx) => deleteCounts(tx, userId));
  }

  /** Removes the history of records that a user has deleted. */
  async #forgetDeleted(collection: StoredCollection, page: PageRow, userId: number): Promise<number> {
    const { db, commit } = this.#context;
    const ids = (await someDeleted(db, userId, collection.id, BATCH)).map(({ record_id }) => record_id);
    await commit.run(
      async (tx) => {
        await lockCopies(tx, page);
        await forgetDeleted(tx, collection.id, ids);
      },
      { alone: true },
    );
    return ids.length;
  }

  /**
   * Deletes records like single ones: updates counts and the owner's quota, sends the changes to functions, and publishes
   * to followers. Their history goes with them, so that nobody can bring them back.
   */
  async #deleteSome(collection: StoredCollection, page: PageRow, userId: number): Promise<number> {
    const { db, commit, announce } = this.#context;
    const ids = await someOwn(db, collection.id, userId, BATCH);
    const [id] = ids;
    if (id === undefined) return 0;
    const username = (await findRecord(db, collection.id, id))?.username ?? '';
    const target: InCollection = {
      ...{ page, storageType: collection.storage_type, collection: collection.name },
      ...{ actor: undefined, username: '' },
    };
    const by = { ...target, actor: { userId, role: undefined }, username };
    const own = { collection, target, userId, ids };
    const changes = await commit.run(
      (tx) => sendChanges(this.#context, tx, [by], () => this.#deleteIn(tx, own), { forgetsData: true }),
      { alone: true },
    );
    for (const change of changes) announce(target, change);
    // Somebody else may have deleted all of these meanwhile. There can be more.
    return Math.max(1, changes.length);
  }

  /** Deletes as many of these records as functions can get from one transaction. */
  async #deleteIn(
    tx: Tx,
    { collection, target, userId, ids }: OwnRecords,
  ): Promise<Array<Extract<Change, { type: 'deleted' }>>> {
    const { writes, readTime } = this.#context;
    const made: Array<Extract<Change, { type: 'deleted' }>> = [];
    await lockCopies(tx, target.page);
    const at = readTime(target.page.id);
    const rules = parseRules(collection);
    const unlogged = { ...this.#context, writes: { isLogged: false } };
    const fits = limitPiece(target);
    for (const id of ids) {
      const row = await writes.lock(tx, collection.id, id);
      if (row?.created_by !== userId) continue;
      if (!fits(row.text)) break;
      await deleteRecord(tx, collection.id, id);
      await countDeleted(unlogged, tx, { target, collectionId: collection.id, row });
      made.push({ type: 'deleted', row, at, rules });
    }
    const rows = made.map(({ row }) => row);
    const counted = countedFor(collection.storage_type, userId);
    // It may have got an index or a search since it was read.
    const present = (await findCollectionById(tx, collection.id)) ?? collection;
    await noteIndexed(writes.indexes, tx, present, () =>
      rows.map(({ id, text }) => ({ id, userId: counted, before: JSON.parse(text) as RecordData })),
    );
    await this.#logGone(tx, collection, userId, rows, at);
    return made;
  }

  /** Leaves nothing but the time at which records were deleted, for followers who do not know yet. */
  async #logGone(
    tx: Tx,
    { id, storage_type }: StoredCollection,
    userId: number,
    rows: RecordRow[],
    now: number,
  ): Promise<void> {
    const ids = rows.map((row) => row.id);
    await forgetRecords(tx, id, ids);
    if (!this.#context.writes.isLogged || rows.length === 0) return;
    await logWithoutData(tx, 'delete', id, rows, { now, by: null });
    const logged = rows.length * LOG_OVERHEAD;
    await addToCounts(tx, id, countedFor(storage_type, userId), { records: 0, bytes: 0, logged, now });
  }

  async #forgetSome(collection: StoredCollection, userId: number): Promise<number> {
    const { db, commit } = this.#context;
    const ids = await someOwn(db, collection.id, userId, BATCH);
    if (ids.length > 0)
      await commit.run(
        async (tx) => {
          await forgetAuthor(tx, collection.id, userId, ids);
          await forgetLoggedAuthor(tx, collection.id, userId, ids);
        },
        { alone: true },
      );
    return ids.length;
  }
}
