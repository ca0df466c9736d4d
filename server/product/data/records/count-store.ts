import { sql } from 'kysely';
import { type Sizes, toSizes } from '../../../lib/sizes.ts';
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

/** The bytes that pages are charged for their records. */
export async function measureRecords(db: Db, pageIds: number[]): Promise<Sizes> {
  const query = db
    .selectFrom('record_counts')
    .innerJoin('collections', 'collections.id', 'record_counts.collection_id')
    .select((eb) => ['collections.page_id as id', eb.fn.sum<number | string>('bytes').as('bytes')]);
  return toSizes(
    await query.where('collections.page_id', 'in', pageIds).groupBy('collections.page_id').execute(),
  );
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
