import type { Db } from '../storage/index.ts';

/** SQL for tokens with which machines join the cluster. */

/** How long a token that can no longer be used says why. */
const REMEMBER_MS = 24 * 3600 * 1000;

export async function insertJoin(
  db: Db,
  {
    secretHash,
    sealed,
    now,
    expiresAt,
  }: { secretHash: string; sealed: string; now: number; expiresAt: number },
): Promise<void> {
  await db
    .deleteFrom('cluster_joins')
    .where('expires_at', '<', now - REMEMBER_MS)
    .execute();
  await db.updateTable('cluster_joins').set({ sealed: '' }).where('expires_at', '<=', now).execute();
  await db
    .insertInto('cluster_joins')
    .values({ secret_hash: secretHash, sealed, expires_at: expiresAt, used_at: null })
    .execute();
}

export function findJoin(db: Db, secretHash: string) {
  return db
    .selectFrom('cluster_joins')
    .select(['sealed', 'expires_at', 'used_at'])
    .where('secret_hash', '=', secretHash)
    .executeTakeFirst();
}

/** Uses up a token. False if somebody else has just done so. */
export async function spendJoin(db: Db, secretHash: string, now: number): Promise<boolean> {
  const result = await db
    .updateTable('cluster_joins')
    .set({ used_at: now, sealed: '' })
    .where('secret_hash', '=', secretHash)
    .where('used_at', 'is', null)
    .where('expires_at', '>', now)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}
