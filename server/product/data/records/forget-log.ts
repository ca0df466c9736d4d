import type { Selectable } from 'kysely';
import { REMOVED_USER } from '../../../../contract/accounts/removed-user.ts';
import type { StorageType } from '../../../../contract/rules/storage-modes.ts';
import type { Db, Tables, Tx } from '../../../platform/storage/index.ts';
import { countedFor } from '../collections/collection.ts';
import { LOG_OVERHEAD } from '../log/write-log.ts';
import { subtractLogged } from './count-store.ts';

/** SQL that removes entries of the record log. */

type Entry = Selectable<Tables['record_changes']>;
type Removed = Pick<Entry, 'collection_id' | 'created_by' | 'size'>;

/** Removes entries. Returns how many there were. */
export async function removeEntries(tx: Tx, ids: number[]): Promise<number> {
  if (ids.length === 0) return 0;
  const removed = await tx
    .deleteFrom('record_changes')
    .where('id', 'in', ids)
    .returning(['collection_id', 'created_by', 'size'])
    .execute();
  await uncount(tx, removed);
  return removed.length;
}

/** Removes the oldest entries of a collection. Returns how many there were. */
export async function removeOldest(tx: Tx, collectionId: number, count: number): Promise<number> {
  const rows = await tx
    .selectFrom('record_changes')
    .select('id')
    .where('collection_id', '=', collectionId)
    .orderBy('at')
    .orderBy('id')
    .limit(count)
    .execute();
  return removeEntries(
    tx,
    rows.map(({ id }) => id),
  );
}

/** Removes all entries of some records. */
export async function forgetRecords(tx: Tx, collectionId: number, ids: string[]): Promise<void> {
  if (ids.length === 0) return;
  const removed = await tx
    .deleteFrom('record_changes')
    .where('collection_id', '=', collectionId)
    .where('record_id', 'in', ids)
    .returning(['collection_id', 'created_by', 'size'])
    .execute();
  await uncount(tx, removed);
}

/** Removes the data of deleted records, for good. That they were deleted stays, for followers who do not know yet. */
export async function forgetDeleted(tx: Tx, collectionId: number, ids: string[]): Promise<void> {
  if (ids.length === 0) return;
  const removed = await tx
    .deleteFrom('record_changes')
    .where('collection_id', '=', collectionId)
    .where('record_id', 'in', ids)
    .where('action', '<>', 'delete')
    .returning(['collection_id', 'created_by', 'size'])
    .execute();
  const ofDeletions = tx
    .selectFrom('record_changes')
    .select(['id', 'collection_id', 'created_by', 'size'])
    .where('collection_id', '=', collectionId)
    .where('record_id', 'in', ids);
  const emptied = await ofDeletions.execute();
  await uncount(tx, removed);
  await uncount(tx, emptied, 0);
  if (emptied.length === 0) return;
  await tx
    .updateTable('record_changes')
    .set({ before: null, size: 0, changed_by: null })
    .where(
      'id',
      'in',
      emptied.map(({ id }) => id),
    )
    .execute();
}

/**
 * Removes the data and the author of records that their author deleted. That they were deleted stays: otherwise a merge
 * would take what a branch still has of them for new.
 */
export async function forgetDeletedAuthor(tx: Tx, collectionId: number, ids: string[]): Promise<void> {
  await forgetDeleted(tx, collectionId, ids);
  await tx
    .updateTable('record_changes')
    .set({ created_by: REMOVED_USER.id })
    .where('collection_id', '=', collectionId)
    .where('record_id', 'in', ids)
    .execute();
}

/** Removes a user's name from the entries of records that stay. */
export async function forgetLoggedAuthor(
  tx: Tx,
  collectionId: number,
  userId: number,
  ids: string[],
): Promise<void> {
  const ofRecords = tx
    .updateTable('record_changes')
    .where('collection_id', '=', collectionId)
    .where('record_id', 'in', ids);
  await ofRecords.set({ created_by: REMOVED_USER.id }).where('created_by', '=', userId).execute();
  await ofRecords.set({ changed_by: null }).where('changed_by', '=', userId).execute();
}

/** Entries that are looked at in one statement. No index has who changed a record: every change would write it. */
const SCANNED = 2_000;

/** Removes who changed what from the log, some entries at a time. */
export async function* forgetChanger(db: Db, userId: number): AsyncGenerator<void> {
  const { first, last } = await db
    .selectFrom('record_changes')
    .select((eb) => [eb.fn.min('id').as('first'), eb.fn.max('id').as('last')])
    .executeTakeFirstOrThrow();
  for (let from = Number(first ?? 1); from <= Number(last ?? 0); from += SCANNED) {
    await db
      .updateTable('record_changes')
      .set({ changed_by: null })
      .where('id', '>=', from)
      .where('id', '<', from + SCANNED)
      .where('changed_by', '=', userId)
      .execute();
    yield;
  }
  await db
    .updateTable('collection_changes')
    .set({ changed_by: null })
    .where('changed_by', '=', userId)
    .execute();
}

/** Some deleted records of a user, in one collection or in all. */
export function someDeleted(db: Db, userId: number, collectionId: number | undefined, limit: number) {
  let query = db
    .selectFrom('record_changes')
    .innerJoin('collections', 'collections.id', 'record_changes.collection_id')
    .select(['collection_id', 'record_id', 'storage_type'])
    .where('created_by', '=', userId)
    .where('action', '=', 'delete');
  // Those without data are kept for followers until they expire, unless all of the user's are asked for.
  if (collectionId !== undefined)
    query = query.where('collection_id', '=', collectionId).where('before', 'is not', null);
  return query.orderBy('collection_id').orderBy('record_id').limit(limit).execute();
}

/** Subtracts entries from the counters of their collections. */
async function uncount(tx: Tx, removed: Removed[], overhead = LOG_OVERHEAD): Promise<void> {
  const ids = [...new Set(removed.map(({ collection_id }) => collection_id))];
  if (ids.length === 0) return;
  const types = new Map<number, StorageType>();
  for (const { id, storage_type } of await tx
    .selectFrom('collections')
    .select(['id', 'storage_type'])
    .where('id', 'in', ids)
    .execute())
    types.set(id, storage_type);
  const totals = new Map<string, { collectionId: number; userId: number; bytes: number }>();
  for (const { collection_id, created_by, size } of removed) {
    const userId = countedFor(types.get(collection_id) ?? 'team_data', created_by);
    const key = `${String(collection_id).padStart(16, '0')} ${userId}`;
    const total = totals.get(key) ?? { collectionId: collection_id, userId, bytes: 0 };
    total.bytes += size + overhead;
    totals.set(key, total);
  }
  // One order for all, so that no two transactions wait for each other.
  for (const [, { collectionId, userId, bytes }] of [...totals].sort(([a], [b]) => (a < b ? -1 : 1)))
    await subtractLogged(tx, collectionId, userId, bytes);
}
