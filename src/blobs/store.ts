import type { Db, Tx } from '../storage/index.ts';

/** SQL of blobs that belong to nothing, or not yet. */

/** Far below what any engine takes in one statement. */
const CHUNK = 500;

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

/** Some of what is due, in the order of keys. */
export async function listDue(db: Db, now: number, after: string): Promise<string[]> {
  const rows = await db
    .selectFrom('blob_trash')
    .select('key')
    .where('delete_after', '<=', now)
    .where('key', '>', after)
    .orderBy('key')
    .limit(CHUNK)
    .execute();
  return rows.map(({ key }) => key);
}

export async function forget(db: Db, key: string): Promise<void> {
  await db.deleteFrom('blob_trash').where('key', '=', key).execute();
}
