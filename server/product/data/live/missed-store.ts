import type { StorageType } from '../../../../contract/rules/storage-modes.ts';
import type { Db } from '../../../platform/storage/index.ts';
import { firstId } from '../history/state-store.ts';

/** SQL for what happened in collections since a time. */

interface Followed {
  pageId: number;
  storageType: StorageType;
  names: string[];
}

/** Entries of the record log since a time, in any order: sorting would read all of them, however many there are. */
export function listChanged(db: Db, { pageId, storageType, names }: Followed, from: number, limit: number) {
  return db
    .selectFrom('record_changes')
    .innerJoin('collections', 'collections.id', 'record_changes.collection_id')
    .select(['record_changes.id', 'record_id', 'at', 'action', 'created_by', 'created_at'])
    .select('collections.name as collection')
    .where('collections.page_id', '=', pageId)
    .where('collections.storage_type', '=', storageType)
    .where('collections.name', 'in', names)
    .where('at', '>=', from)
    .limit(limit)
    .execute();
}

/** Records that were created since a time, and still exist, in any order. */
export function listCreated(db: Db, { pageId, storageType, names }: Followed, from: number, limit: number) {
  return db
    .selectFrom('records')
    .innerJoin('collections', 'collections.id', 'records.collection_id')
    .select(['records.id', 'created_by', 'created_at', 'collections.name as collection'])
    .where('collections.page_id', '=', pageId)
    .where('collections.storage_type', '=', storageType)
    .where('collections.name', 'in', names)
    .where('records.id', '>', firstId(from))
    .limit(limit)
    .execute();
}

/** Whether it is not known what changed since a time, or who could read it: the log begins later, or rules changed. */
export async function isUnknownSince(
  db: Db,
  { pageId, storageType, names }: Followed,
  from: number,
): Promise<boolean> {
  const rows = await db
    .selectFrom('collections')
    .leftJoin('collection_changes', (join) =>
      join.onRef('collection_changes.collection_id', '=', 'collections.id').on('at', '>=', from),
    )
    .select('collections.id')
    .where('page_id', '=', pageId)
    .where('storage_type', '=', storageType)
    .where('name', 'in', names)
    .where((eb) => eb.or([eb('log_from', '>', from), eb('collection_changes.id', 'is not', null)]))
    .limit(1)
    .execute();
  return rows.length > 0;
}
