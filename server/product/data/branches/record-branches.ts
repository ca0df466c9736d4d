import type { StorageType } from '../../../../contract/rules/storage-modes.ts';
import type { PageRow, Tx } from '../../../platform/storage/index.ts';
import type { CollectionContent } from '../../merge-ports.ts';
import { listStoredCollections } from '../collections/store.ts';
import { assertKept } from '../history/assert-kept.ts';
import { type CopyOrder, copyRecords } from './copy-records.ts';
import {
  applyCollections,
  applyRecords,
  type Decided,
  type DifferingRecord,
  eachDiffering,
  findMergedType,
  type MergeContext,
  type PageAt,
  readCollections,
  type ThreeSides,
  type WantedCollections,
} from './merge-records.ts';

/** The part of data that branches need. */
export interface RecordBranches {
  /** Copies the collections of a page as they were at a time. If it was interrupted, it can be run again. */
  copy(main: PageRow, branch: PageRow, order: CopyOrder): Promise<void>;
  /** Fails if it is not known any more what the records of a page were at a time. */
  assertKept(pageId: number, at: number): Promise<void>;
  /** The kind of data that is merged: none of pages without data, or whose data belongs to their visitors. */
  findMergedType(page: PageRow): StorageType | undefined;
  /** The schemas and rules of a page at a time, by collection. */
  readCollections(type: StorageType, page: PageAt): Promise<Map<string, CollectionContent>>;
  /** Records that differ between a branch and its page, in the order of their ids. */
  eachDiffering(
    collection: { type: StorageType; name: string },
    sides: ThreeSides,
    after?: string,
  ): AsyncGenerator<DifferingRecord[]>;
  /** Sets schemas and rules. Call what it returns when that is committed. Undefined if they were changed meanwhile. */
  applyCollections(
    tx: Tx,
    page: PageRow,
    given: WantedCollections,
    by: number,
  ): Promise<(() => void) | undefined>;
  /**
   * Changes records in many short transactions, which send the changes to functions. If it was interrupted, it can be run
   * again.
   */
  applyRecords(
    page: PageRow,
    collection: { type: StorageType; name: string },
    decided: ReadonlyMap<string, Decided>,
    options: {
      /** The page of the other side. */
      from: Pick<PageRow, 'id'>;
      by: { id: number; username: string };
      signal?: AbortSignal;
      admit?(tx: Tx): Promise<void>;
    },
  ): Promise<void>;
}

export function createRecordBranches(context: MergeContext): RecordBranches {
  return {
    copy: (main, branch, order) => copyRecords(context, main, branch, order),
    async assertKept(pageId, at) {
      for (const { id } of await listStoredCollections(context.db, pageId))
        await assertKept(context.db, id, at);
    },
    findMergedType,
    readCollections: (type, page) => readCollections(context, type, page),
    eachDiffering: (collection, sides, after) => eachDiffering(context, collection, sides, after),
    applyCollections: (tx, page, given, by) => applyCollections(context, tx, page, given, by),
    applyRecords: (page, collection, decided, options) =>
      applyRecords(context, page, collection, decided, options),
  };
}
