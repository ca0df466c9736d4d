import { sql } from 'kysely';
import type { Db, Tx } from '../../../platform/storage/index.ts';

/** SQL for the rows of databases: their owner, and how many bytes are charged. */

export async function insertDatabase(tx: Tx, ownerId: number, now: number): Promise<number> {
  const { id } = await tx
    .insertInto('function_databases')
    .values({ owner_id: ownerId, created_at: now, deleted_at: null })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

/** Locks a database's row, so that it cannot be removed while another function starts to share it. */
export async function lockDatabase(tx: Tx, id: number): Promise<void> {
  await tx
    .updateTable('function_databases')
    .set((eb) => ({ id: eb.ref('id') }))
    .where('id', '=', id)
    .execute();
}

const MINUTE_MS = 60_000;

/**
 * Begins a new generation of a database. Undefined if there is no such database. It is later than every one before, also
 * than those that this server does not know any more because it was restored from a backup itself.
 */
export function raiseGeneration(db: Db, id: number, now: number) {
  const minute = Math.floor(now / MINUTE_MS);
  return db
    .updateTable('function_databases')
    .set({ generation: sql`case when generation < ${minute} then ${minute} else generation + 1 end` })
    .where('id', '=', id)
    .returning(['owner_id', 'generation'])
    .executeTakeFirst();
}

/** The generation of a database that a function has or not. */
export async function findGeneration(db: Db, id: number | null): Promise<number | null> {
  if (id === null) return null;
  const query = db.selectFrom('function_databases').select('generation').where('id', '=', id);
  return (await query.executeTakeFirst())?.generation ?? null;
}

/** The functions that share a database. */
export async function listUserIds(db: Db, databaseId: number): Promise<number[]> {
  const rows = await db.selectFrom('functions').select('id').where('database_id', '=', databaseId).execute();
  return rows.map(({ id }) => id);
}

/** The pages of the functions that use databases. Null stands for functions without a page. */
export async function listPagesWithDatabases(
  db: Db,
  databaseIds: readonly number[],
): Promise<Array<number | null>> {
  if (databaseIds.length === 0) return [];
  const rows = await db
    .selectFrom('functions')
    .select('page_id')
    .distinct()
    .where('database_id', 'in', databaseIds)
    .execute();
  return rows.map(({ page_id }) => page_id);
}

/** The databases of the functions of a page. */
export async function listDatabasesOnPage(db: Db, pageId: number): Promise<number[]> {
  const rows = await db
    .selectFrom('functions')
    .select('database_id')
    .distinct()
    .where('page_id', '=', pageId)
    .execute();
  return rows.flatMap(({ database_id }) => database_id ?? []);
}

/** Marks the database for removal if no function uses it any more. Returns whether it did. */
export async function retireUnusedDatabase(tx: Tx, id: number, now: number): Promise<boolean> {
  const user = await tx.selectFrom('functions').select('id').where('database_id', '=', id).executeTakeFirst();
  if (user) return false;
  await tx.updateTable('function_databases').set({ deleted_at: now }).where('id', '=', id).execute();
  return true;
}

/** The slugs of the functions that share a database. */
export async function listDatabaseUsers(db: Db, databaseId: number): Promise<string[]> {
  const rows = await db
    .selectFrom('functions')
    .select('slug')
    .where('database_id', '=', databaseId)
    .orderBy('slug')
    .execute();
  return rows.map(({ slug }) => slug);
}

/** The function that a database belongs to: the oldest of those that share it. */
export function findDatabaseHolder(db: Db, databaseId: number) {
  return db
    .selectFrom('functions')
    .select(['id', 'slug'])
    .where('database_id', '=', databaseId)
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
}

/** Marks databases for removal that were made for a function that was never stored. */
export async function retireAbandonedDatabases(db: Db, before: number, now: number): Promise<void> {
  await db
    .updateTable('function_databases')
    .set({ deleted_at: now })
    .where('deleted_at', 'is', null)
    .where('created_at', '<', before)
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('functions')
            .select('functions.id')
            .whereRef('functions.database_id', '=', 'function_databases.id'),
        ),
      ),
    )
    .execute();
}

/** The databases of an owner with the functions that use each, the oldest first. */
export async function listOwnDatabases(db: Db, ownerId: number) {
  const rows = await db
    .selectFrom('functions')
    .innerJoin('function_databases', 'function_databases.id', 'functions.database_id')
    .select([
      'function_databases.id',
      'function_databases.created_at',
      'function_databases.bytes',
      'functions.slug',
    ])
    .where('functions.owner_id', '=', ownerId)
    .orderBy('functions.id')
    .execute();
  const databases = new Map<number, { id: number; createdAt: number; bytes: number; functions: string[] }>();
  for (const { id, created_at, bytes, slug } of rows) {
    const known = databases.get(id) ?? { id, createdAt: created_at, bytes, functions: [] };
    known.functions.push(slug);
    databases.set(id, known);
  }
  return [...databases.values()];
}

/** Databases without a function, which may still have a file. */
export function listRetiredDatabases(db: Db) {
  return db
    .selectFrom('function_databases')
    .select(['id', 'owner_id'])
    .where('deleted_at', 'is not', null)
    .execute();
}

/** The databases of an owner that are in use. */
export async function listDatabaseIds(db: Db, ownerId: number): Promise<number[]> {
  const rows = await db
    .selectFrom('function_databases')
    .select('id')
    .where('owner_id', '=', ownerId)
    .where('deleted_at', 'is', null)
    .execute();
  return rows.map(({ id }) => id);
}

export function deleteDatabase(tx: Tx, id: number) {
  return tx
    .deleteFrom('function_databases')
    .where('id', '=', id)
    .returning(['owner_id', 'bytes'])
    .executeTakeFirst();
}

/** Reads the charge of a database and locks it until this transaction ends. */
export function lockDatabaseBytes(tx: Tx, id: number) {
  return tx
    .updateTable('function_databases')
    .set((eb) => ({ id: eb.ref('id') }))
    .where('id', '=', id)
    .returning(['owner_id', 'bytes', 'deleted_at'])
    .executeTakeFirst();
}

export async function setDatabaseBytes(tx: Tx, id: number, bytes: number): Promise<void> {
  await tx.updateTable('function_databases').set({ bytes }).where('id', '=', id).execute();
}

export function listChargedDatabases(db: Db) {
  return db.selectFrom('function_databases').select('id').where('bytes', '>', 0).execute();
}

/** Whether an owner has a database that is not about to be removed. */
export async function findDatabase(db: Db, ownerId: number, id: number): Promise<boolean> {
  const row = await db
    .selectFrom('function_databases')
    .select('id')
    .where('id', '=', id)
    .where('owner_id', '=', ownerId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  return row !== undefined;
}
