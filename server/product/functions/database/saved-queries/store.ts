import { sql } from 'kysely';
import { countRows, type Db, type Tx } from '../../../../platform/storage/index.ts';

/** SQL for the saved queries of databases. */

export function listSavedQueries(db: Db, databaseId: number) {
  return db
    .selectFrom('saved_queries')
    .selectAll()
    .where('database_id', '=', databaseId)
    .orderBy('name')
    .execute();
}

export function findSavedQuery(db: Db, databaseId: number, id: number) {
  return db
    .selectFrom('saved_queries')
    .selectAll()
    .where('database_id', '=', databaseId)
    .where('id', '=', id)
    .executeTakeFirst();
}

export function countSavedQueries(tx: Tx, databaseId: number): Promise<number> {
  return countRows(tx.selectFrom('saved_queries').where('database_id', '=', databaseId));
}

/** The id of the query with this name. */
export function findSavedName(tx: Tx, databaseId: number, name: string) {
  return tx
    .selectFrom('saved_queries')
    .select('id')
    .where('database_id', '=', databaseId)
    .where('name', '=', name)
    .executeTakeFirst();
}

interface Values {
  name: string;
  sql: string;
}

export function insertSavedQuery(tx: Tx, databaseId: number, values: Values, now: number) {
  return tx
    .insertInto('saved_queries')
    .values({ database_id: databaseId, ...values, created_at: now, updated_at: now })
    .returningAll()
    .executeTakeFirstOrThrow();
}

export function updateSavedQuery(tx: Tx, id: number, values: Values, now: number) {
  return tx
    .updateTable('saved_queries')
    .set({ ...values, updated_at: now })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function deleteSavedQuery(tx: Tx, id: number): Promise<void> {
  await tx.deleteFrom('saved_queries').where('id', '=', id).execute();
}

/** Deletes all queries of a database. Returns the bytes that its owner was charged for them. */
export async function deleteSavedQueries(tx: Tx, databaseId: number): Promise<number> {
  const { bytes } = await tx
    .selectFrom('saved_queries')
    .select(
      sql<number>`coalesce(sum(octet_length(saved_queries.name) + octet_length(saved_queries.sql)), 0)`.as(
        'bytes',
      ),
    )
    .where('database_id', '=', databaseId)
    .executeTakeFirstOrThrow();
  await tx.deleteFrom('saved_queries').where('database_id', '=', databaseId).execute();
  return Number(bytes);
}
