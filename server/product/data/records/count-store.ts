import { sql } from 'kysely';
import { type Db, statement, type Tx } from '../../../platform/storage/index.ts';

/** SQL for the number of records and their size. */

const addCounts = statement(
  (db, collectionId: number, userId: number, records: number, bytes: number, logged: number, now: number) =>
    db
      .updateTable('record_counts')
      .set({
        records: sql`records + ${records}`,
        bytes: sql`bytes + ${bytes}`,
        log_bytes: sql`log_bytes + ${logged}`,
        updated_at: now,
        indexed_at: sql`case when indexed_at = updated_at then ${now} else indexed_at end`,
      })
      .where('collection_id', '=', collectionId)
      .where('user_id', '=', userId),
);

/** Updates the counts after a write. */
export async function addToCounts(
  tx: Tx,
  collectionId: number,
  userId: number,
  change: { records: number; bytes: number; logged: number; now: number },
): Promise<void> {
  const { records, bytes, logged, now } = change;
  const { numAffectedRows } = await addCounts(tx, collectionId, userId, records, bytes, logged, now);
  if (numAffectedRows === 1n) return;
  await tx
    .insertInto('record_counts')
    .values({
      collection_id: collectionId,
      user_id: userId,
      records,
      bytes,
      log_bytes: logged,
      updated_at: now,
      indexed_at: now,
    })
    .onConflict((conflict) =>
      conflict.columns(['collection_id', 'user_id']).doUpdateSet({
        records: sql`record_counts.records + ${records}`,
        bytes: sql`record_counts.bytes + ${bytes}`,
        log_bytes: sql`record_counts.log_bytes + ${logged}`,
        updated_at: now,
        indexed_at: sql`case when record_counts.indexed_at = record_counts.updated_at then ${now} else record_counts.indexed_at end`,
      }),
    )
    .execute();
}

/** The size of all records of a page. */
export async function storedBytes(db: Db, pageId: number): Promise<number> {
  const { bytes } = await db
    .selectFrom('record_counts')
    .innerJoin('collections', 'collections.id', 'record_counts.collection_id')
    .select((eb) => eb.fn.coalesce(eb.fn.sum<number>('bytes'), sql<number>`0`).as('bytes'))
    .where('collections.page_id', '=', pageId)
    .executeTakeFirstOrThrow();
  return Number(bytes);
}

/** Subtracts removed entries of the record log. */
export async function subtractLogged(
  tx: Tx,
  collectionId: number,
  userId: number,
  bytes: number,
): Promise<void> {
  await tx
    .updateTable('record_counts')
    .set({ log_bytes: sql`case when log_bytes < ${bytes} then 0 else log_bytes - ${bytes} end` })
    .where('collection_id', '=', collectionId)
    .where('user_id', '=', userId)
    .execute();
}
