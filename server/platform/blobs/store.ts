import { sql } from 'kysely';
import { type Db, mayIdle, type Storage, type Tx } from '../storage/index.ts';

/** SQL for blobs that do not belong to a row, or not yet. */

/** Far below any engine's limit for one statement. */
const CHUNK = 500;
/** The PostgreSQL advisory lock that backups share and a sweep takes exclusively. */
const BACKUP_LOCK = 7_105_114_101;

function* splitChunks(keys: string[]): Generator<string[]> {
  for (let at = 0; at < keys.length; at += CHUNK) yield keys.slice(at, at + CHUNK);
}

export async function noteTrash(db: Db, keys: string[], deleteAfter: number): Promise<void> {
  for (const some of splitChunks(keys)) {
    const rows = some.map((key) => ({ key, delete_after: deleteAfter }));
    await db
      .insertInto('blob_trash')
      .values(rows)
      .onConflict((conflict) => conflict.column('key').doUpdateSet({ delete_after: deleteAfter }))
      .execute();
  }
}

/** Takes keys out of the trash, and returns how many: those that are already due stay, as their bytes may be gone. */
export async function crossOut(tx: Tx, keys: string[], now: number): Promise<number> {
  let found = 0;
  for (const some of splitChunks(keys)) {
    const result = await tx
      .deleteFrom('blob_trash')
      .where('key', 'in', some)
      .where('delete_after', '>', now)
      .executeTakeFirst();
    found += Number(result.numDeletedRows);
  }
  return found;
}

/** Makes keys due at once, so that they can no longer be taken out of the trash. Returns how many were in it. */
export async function makeDue(db: Db, keys: string[]): Promise<number> {
  let found = 0;
  for (const some of splitChunks(keys)) {
    const result = await db
      .updateTable('blob_trash')
      .set({ delete_after: 0 })
      .where('key', 'in', some)
      .executeTakeFirst();
    found += Number(result.numUpdatedRows);
  }
  return found;
}

/**
 * Some of the keys that are due, ordered by key; none while a node has locked the blobs. Anything found was released
 * before the lock was taken, because the statement's snapshot is older than its own lock. So it is safe to delete.
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
    query = query.where(sql<boolean>`(select pg_try_advisory_xact_lock(${BACKUP_LOCK}::bigint))`);
  return (await query.execute()).map(({ key }) => key);
}

/**
 * Prevents every node from finding due keys until the returned function is called. That function throws if other nodes
 * may have found some meanwhile. A separate transaction has the lock, so it ends with the connection.
 */
export async function lockForAll(db: Db): Promise<() => Promise<void>> {
  const locked = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const holding = db.transaction().execute(async (tx) => {
    await mayIdle(tx);
    await sql`select pg_advisory_xact_lock_shared(${BACKUP_LOCK}::bigint)`.execute(tx);
    locked.resolve();
    await released.promise;
    await sql`select 1`.execute(tx);
  });
  await Promise.race([locked.promise, holding]);
  return () => {
    released.resolve();
    return holding;
  };
}

export async function forget(db: Db, key: string): Promise<void> {
  await db.deleteFrom('blob_trash').where('key', '=', key).execute();
}
