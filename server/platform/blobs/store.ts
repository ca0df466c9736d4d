import { sql } from 'kysely';
import { type Db, mayIdle, type Storage, type Tx } from '../storage/index.ts';

/** SQL of blobs that belong to nothing, or not yet. */

/** Far below what any engine takes in one statement. */
const CHUNK = 500;
/** Names the lock on PostgreSQL that those who hold share, and those who look for what is due have alone. */
const HOLD_LOCK = 7_105_114_101;

export async function noteTrash(db: Db, keys: string[], deleteAfter: number): Promise<void> {
  for (let at = 0; at < keys.length; at += CHUNK) {
    const rows = keys.slice(at, at + CHUNK).map((key) => ({ key, delete_after: deleteAfter }));
    await db
      .insertInto('blob_trash')
      .values(rows)
      .onConflict((conflict) => conflict.column('key').doUpdateSet({ delete_after: deleteAfter }))
      .execute();
  }
}

/** Takes a key out of the trash; false when it is due already, and its bytes may be gone. */
export async function crossOut(tx: Tx, key: string, now: number): Promise<boolean> {
  const result = await tx
    .deleteFrom('blob_trash')
    .where('key', '=', key)
    .where('delete_after', '>', now)
    .executeTakeFirst();
  return result.numDeletedRows > 0n;
}

/** Makes a key due at once, so that nobody can cross it out any more; false when somebody has. */
export async function makeDue(db: Db, key: string): Promise<boolean> {
  const result = await db
    .updateTable('blob_trash')
    .set({ delete_after: 0 })
    .where('key', '=', key)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/**
 * Some of what is due, in the order of keys; nothing while a node holds. What is found was let go before anybody began
 * to hold, since the lock is had after the moment that the statement sees: so it may go, whoever holds by then.
 */
export async function listDue(
  { db, engine }: Pick<Storage, 'db' | 'engine'>,
  now: number,
  after: string,
): Promise<string[]> {
  let query = db
    .selectFrom('blob_trash')
    .select('key')
    .where('delete_after', '<=', now)
    .where('key', '>', after)
    .orderBy('key')
    .limit(CHUNK);
  if (engine === 'postgres')
    query = query.where(sql<boolean>`(select pg_try_advisory_xact_lock(${HOLD_LOCK}::bigint))`);
  return (await query.execute()).map(({ key }) => key);
}

/**
 * Keeps every node on the database from finding anything due, until what it returns is called; that fails when others
 * may have found something meanwhile. A transaction of its own has the lock, so that it goes with the connection.
 */
export async function holdForAll(db: Db): Promise<() => Promise<void>> {
  const held = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const holding = db.transaction().execute(async (tx) => {
    await mayIdle(tx);
    await sql`select pg_advisory_xact_lock_shared(${HOLD_LOCK}::bigint)`.execute(tx);
    held.resolve();
    await released.promise;
    await sql`select 1`.execute(tx);
  });
  await Promise.race([held.promise, holding]);
  return () => {
    released.resolve();
    return holding;
  };
}

export async function forget(db: Db, key: string): Promise<void> {
  await db.deleteFrom('blob_trash').where('key', '=', key).execute();
}
