import { sql } from 'kysely';
import { REMOVED_USER } from '../../../../contract/accounts/removed-user.ts';
import type { Db, Tx } from '../../../platform/storage/index.ts';
import { STORED_COLUMNS, type StoredCollection } from '../collections/store.ts';

/** SQL for the records of one user, on any page. */

/** Where to look for what a user has stored: deleted records are in the record log for a while. */
export type Among = 'records' | 'deleted records';

/** Finds the next collection with records of a user, with one index lookup, however many records there are. */
export async function findNextCollection(
  db: Db,
  userId: number,
  after: number,
  among: Among = 'records',
): Promise<StoredCollection | undefined> {
  const present = db.selectFrom('records').select('collection_id');
  const deleted = db
    .selectFrom('record_changes')
    .select('collection_id')
    .where('action', '=', sql.lit('delete' as const));
  return db
    .selectFrom('collections')
    .select(STORED_COLUMNS)
    .where(
      'id',
      '=',
      (among === 'records' ? present : (deleted as unknown as typeof present))
        .where('created_by', '=', userId)
        .where('collection_id', '>', after)
        .orderBy('collection_id')
        .limit(1),
    )
    .executeTakeFirst();
}

/** How much a user has stored in a collection. In solo mode it is known; otherwise at most `most` are counted. */
export async function measureOwn(
  db: Db,
  collection: Pick<StoredCollection, 'id' | 'storage_type'>,
  userId: number,
  most: number,
): Promise<{ records: number; bytes: number; last: number | null }> {
  const counted = db
    .selectFrom('records')
    .select(['size', 'created_at'])
    .where('created_by', '=', userId)
    .where('collection_id', '=', collection.id)
    .orderBy('id', 'desc')
    .limit(most)
    .as('counted');
  const row = await db
    .selectFrom(counted)
    .select((eb) => [
      eb.fn.countAll<number>().as('records'),
      sql<number>`coalesce(sum(size), 0)`.as('bytes'),
      eb.fn.max('created_at').as('last'),
    ])
    .executeTakeFirstOrThrow();
  return { records: Number(row.records), bytes: Number(row.bytes), last: row.last };
}

/** Some entries of the record log about the records of a collection, or those of one creator, oldest first. */
export function listPastEntries(
  db: Db,
  collectionId: number,
  createdBy: number | undefined,
  { after, limit }: { after: number; limit: number },
) {
  let query = db
    .selectFrom('record_changes')
    .select(['id', 'record_id', 'at', 'action', 'before'])
    .where('collection_id', '=', collectionId)
    .where('id', '>', after);
  if (createdBy !== undefined) query = query.where('created_by', '=', createdBy);
  return query.orderBy('id').limit(limit).execute();
}

/** The ids of some records of a user in a collection. */
export async function someOwn(
  db: Db,
  collectionId: number,
  userId: number,
  limit: number,
): Promise<string[]> {
  const rows = await db
    .selectFrom('records')
    .select('id')
    .where('created_by', '=', userId)
    .where('collection_id', '=', collectionId)
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

/** Removes the author from records, which stay. */
export async function forgetAuthor(
  tx: Tx,
  collectionId: number,
  userId: number,
  ids: string[],
): Promise<void> {
  await tx
    .updateTable('records')
    .set({ created_by: REMOVED_USER.id })
    .where('created_by', '=', userId)
    .where('collection_id', '=', collectionId)
    .where('id', 'in', ids)
    .execute();
}

/** Deletes empty counts of a user, which would otherwise name them. */
export async function deleteCounts(tx: Tx, userId: number): Promise<void> {
  await tx.deleteFrom('record_counts').where('user_id', '=', userId).execute();
}

/** Whether a user has stored a record, on any page, or is counted somewhere. */
export async function hasRecords(tx: Tx, userId: number): Promise<boolean> {
  for (const among of ['records', 'deleted records'] as const)
    if (await findNextCollection(tx, userId, 0, among)) return true;
  return false;
}
