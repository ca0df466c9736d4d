import type { Db, Tx } from '../../../platform/storage/index.ts';
import type { Identity } from './identity.ts';

/** SQL for accounts that are connected to a provider. */

/** Finds the user with this subject at the provider. */
export async function findConnected(
  db: Db,
  { issuer, subject }: Pick<Identity, 'issuer' | 'subject'>,
): Promise<number | undefined> {
  const query = db
    .selectFrom('external_logins')
    .select('user_id')
    .where('issuer', '=', issuer)
    .where('subject', '=', subject);
  return (await query.executeTakeFirst())?.user_id;
}

/** Adds a connection. False if the identity is already connected, to this account or another. */
export async function insertConnection(
  tx: Tx,
  userId: number,
  { issuer, subject }: Pick<Identity, 'issuer' | 'subject'>,
  now: number,
): Promise<boolean> {
  const result = await tx
    .insertInto('external_logins')
    .values({ issuer, subject, user_id: userId, created_at: now, last_used_at: now })
    .onConflict((conflict) => conflict.columns(['issuer', 'subject']).doNothing())
    .executeTakeFirst();
  return result.numInsertedOrUpdatedRows === 1n;
}

export async function touchConnection(
  tx: Tx,
  { issuer, subject }: Pick<Identity, 'issuer' | 'subject'>,
  now: number,
): Promise<void> {
  await tx
    .updateTable('external_logins')
    .set({ last_used_at: now })
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .execute();
}

/** The connection of an account with a provider. */
export function findConnection(db: Db, userId: number, issuer: string) {
  return db
    .selectFrom('external_logins')
    .select(['created_at', 'last_used_at'])
    .where('user_id', '=', userId)
    .where('issuer', '=', issuer)
    .orderBy('created_at')
    .executeTakeFirst();
}

/** Deletes a connection. False if there was none. */
export async function disconnect(tx: Tx, userId: number, issuer: string): Promise<boolean> {
  const gone = await tx
    .deleteFrom('external_logins')
    .where('user_id', '=', userId)
    .where('issuer', '=', issuer)
    .returning('subject')
    .execute();
  return gone.length > 0;
}
