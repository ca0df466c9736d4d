import type { Rules } from '../../../../contract/data/collection-rules.ts';
import { MODE_OF, type StorageMode } from '../../../../contract/rules/storage-modes.ts';
import type { Db } from '../../../platform/storage/index.ts';
import { may } from '../access/access.ts';
import { countedFor } from '../collections/collection.ts';

/** The records of a page that strangers can read. */
interface PublicRecords {
  count: number;
  /** When one of them was last added, changed or deleted. */
  changedAt: number;
}

/**
 * Reads how many records strangers can see on each of these pages, and when they last changed. It uses the counts that
 * every write updates anyway. Pages without such records are left out.
 */
export async function readPublicRecords(
  db: Db,
  pages: ReadonlyArray<{ id: number; storage_mode: StorageMode }>,
): Promise<Map<number, PublicRecords>> {
  const found = new Map<number, PublicRecords>();
  if (pages.length === 0) return found;
  const modes = new Map(pages.map(({ id, storage_mode }) => [id, storage_mode]));
  const rows = await db
    .selectFrom('collections')
    .innerJoin('record_counts', 'record_counts.collection_id', 'collections.id')
    .select(['page_id', 'storage_type', 'rules', 'records', 'record_counts.updated_at'])
    .where('page_id', 'in', [...modes.keys()])
    .where('user_id', '=', countedFor('social_data'))
    .execute();
  for (const { page_id, storage_type: storageType, rules, records, updated_at } of rows) {
    const governed = { storageType, ...(rules !== null && { rules: JSON.parse(rules) as Rules }) };
    // Data of an earlier storage mode is not shown.
    if (modes.get(page_id) !== MODE_OF[storageType]) continue;
    if (may(undefined, 'read', undefined, governed) !== 'allowed') continue;
    const before = found.get(page_id) ?? { count: 0, changedAt: 0 };
    found.set(page_id, {
      count: before.count + records,
      changedAt: Math.max(before.changedAt, updated_at),
    });
  }
  return found;
}
