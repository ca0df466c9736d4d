import { type Db, lockName, type PageRow, type Tx } from '../../../platform/storage/index.ts';

/**
 * SQL for records that their authors deleted for good, as their own data or with their account. The log has such a
 * deletion without data. Neither a restore nor a branch may bring the record back.
 */

/** Those of these records that were deleted for good in one of these collections. */
export async function listGone(
  db: Db,
  collectionIds: readonly number[],
  ids: readonly string[],
): Promise<Set<string>> {
  if (collectionIds.length === 0 || ids.length === 0) return new Set();
  const rows = await db
    .selectFrom('record_changes')
    .select('record_id')
    .where('collection_id', 'in', collectionIds)
    .where('record_id', 'in', ids)
    .where('action', '=', 'delete')
    .where('before', 'is', null)
    .execute();
  return new Set(rows.map(({ record_id }) => record_id));
}

/**
 * Whoever copies records between a page and its branches, and whoever deletes their own there, wait for each other. So a
 * copy either sees the deletion, or is there when its branch is searched. Call it after the queues of functions are
 * locked, and before anything else.
 */
export const lockCopies = (tx: Tx, { id, branch_of }: Pick<PageRow, 'id' | 'branch_of'>): Promise<void> =>
  lockName(tx, `copies of records of ${branch_of ?? id}`);
