import type { Db } from '../../../platform/storage/index.ts';

/** SQL for the records of branches. */

/** The id of the earliest record of a collection. */
export async function findFirstId(db: Db, collectionId: number): Promise<string | undefined> {
  const row = await db
    .selectFrom('records')
    .select('id')
    .where('collection_id', '=', collectionId)
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
  return row?.id;
}
