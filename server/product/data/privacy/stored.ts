import { setImmediate } from 'node:timers/promises';
import { MAX_COUNTED_RECORDS } from '../../../../contract/rules/limits.ts';
import type { ExportFile } from '../../../lib/formats/export-files.ts';
import type { Db, GroupCommit, PageRow, Tx } from '../../../platform/storage/index.ts';
import type { InCollection } from '../access/data-target.ts';
import { parseRules } from '../collections/collection.ts';
import { listStoredCollections, type StoredCollection } from '../collections/store.ts';
import type { Change } from '../records/changes.ts';
import { type CountContext, countDeleted } from '../records/counts.ts';
import { deleteRecord, lockRecord } from '../records/store.ts';
import { recordsFile } from './export.ts';
import { deleteCounts, findNextCollection, forgetAuthor, measureOwn, someOwn } from './store.ts';

/** Records that are deleted in one transaction: few, because other requests wait. */
const BATCH = 100;

interface StoredContext extends CountContext {
  db: Db;
  commit: GroupCommit;
  findPage(db: Db, id: number): Promise<PageRow | undefined>;
  announce(target: InCollection, change: Change): void;
}

/** The records of a user on all pages, their own or others', in any mode. */
export class StoredRecords {
  readonly #context: StoredContext;

  constructor(context: StoredContext) {
    this.#context = context;
  }

  /** The collections in which a user has stored something, whatever page they belong to. */
  async *eachCollection(userId: number): AsyncGenerator<StoredCollection> {
    for (let after = 0; ; ) {
      const next = await findNextCollection(this.#context.db, userId, after);
      if (!next) return;
      yield next;
      after = next.id;
      await setImmediate();
    }
  }

  measure(collection: StoredCollection, userId: number) {
    return measureOwn(this.#context.db, collection, userId, MAX_COUNTED_RECORDS);
  }

  exportFiles(collection: StoredCollection, folder: string, userId: number): ExportFile {
    return recordsFile(this.#context.db, collection, folder, userId);
  }

  /**
   * Deletes up to `most` records of a user on a page, in all modes. Returns how many it found: fewer if there
   * were no more.
   */
  async deleteOnPage(userId: number, page: PageRow, most: number): Promise<number> {
    let deleted = 0;
    for (const collection of await listStoredCollections(this.#context.db, page.id))
      while (deleted < most) {
        const some = await this.#deleteSome(collection, page, userId);
        deleted += some;
        if (some === 0) break;
        await setImmediate();
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
    await this.forgetCounts(userId);
  }

  /** Deletes what says that a user had records, once they have none. */
  async forgetCounts(userId: number): Promise<void> {
    await this.#context.db.transaction().execute((tx: Tx) => deleteCounts(tx, userId));
  }

  /** Deletes records like single ones: updates counts and the owner's quota, and publishes to followers. */
  async #deleteSome(collection: StoredCollection, page: PageRow, userId: number): Promise<number> {
    const { db, commit, announce } = this.#context;
    const ids = await someOwn(db, collection.id, userId, BATCH);
    if (ids.length === 0) return 0;
    const target: InCollection = {
      page,
      storageType: collection.storage_type,
      collection: collection.name,
      actor: undefined,
      username: '',
    };
    const rules = parseRules(collection);
    const changes = await commit.run(
      async (tx) => {
        const made: Change[] = [];
        for (const id of ids) {
          const row = await lockRecord(tx, collection.id, id);
          if (row?.created_by !== userId) continue;
          await deleteRecord(tx, collection.id, id);
          await countDeleted(this.#context, tx, { target, collectionId: collection.id, row });
          made.push({ type: 'deleted', row, rules });
        }
        return made;
      },
      { alone: true },
    );
    for (const change of changes) announce(target, change);
    return ids.length;
  }

  async #forgetSome(collection: StoredCollection, userId: number): Promise<number> {
    const { db, commit } = this.#context;
    const ids = await someOwn(db, collection.id, userId, BATCH);
    if (ids.length > 0)
      await commit.run((tx) => forgetAuthor(tx, collection.id, userId, ids), { alone: true });
    return ids.length;
  }
}
