import { sql } from 'kysely';
import { REMOVED_USER } from '../../../../contract/accounts/removed-user.ts';
import type { Db, Tx } from '../../../platform/storage/index.ts';

/** SQL for account deletion. */

/** Sets when an account is deleted, unless an earlier time is set. Undefined if there is no such user. */
export function setRemovalDue(tx: Tx, userId: number, dueAt: number) {
  return tx
    .updateTable('users')
    .set({ removal_due_at: sql`case when removal_due_at < ${dueAt} then removal_due_at else ${dueAt} end` })
    .where('id', '=', userId)
    .where('id', '!=', REMOVED_USER.id)
    .returning(['id', 'username', 'email', 'email_confirmed_at', 'removal_due_at'])
    .executeTakeFirst();
}

/** A requested deletion of an account. */
interface Deletion {
  userId: number;
  dueAt: number;
}

/** Cancels a deletion. Undefined if it is too late, if it was cancelled before, or if the account is suspended. */
export function keepAccount(tx: Tx, { userId, dueAt }: Deletion, now: number) {
  return tx
    .updateTable('users')
    .set({ removal_due_at: null })
    .where('id', '=', userId)
    .where('removal_due_at', '=', dueAt)
    .where('removal_due_at', '>', now)
    .where('suspended_at', 'is', null)
    .returning(['id', 'username'])
    .executeTakeFirst();
}

/** Finds the user of a deletion. Undefined if it was cancelled, or if the account is suspended. */
export function findLeaving(db: Db, { userId, dueAt }: Deletion) {
  return db
    .selectFrom('users')
    .select(['id', 'username'])
    .where('id', '=', userId)
    .where('removal_due_at', '=', dueAt)
    .where('suspended_at', 'is', null)
    .executeTakeFirst();
}

/** Lists accounts whose deletion is due. */
export function listDueRemovals(db: Db, now: number) {
  return db
    .selectFrom('users')
    .select('id')
    .where('removal_due_at', '<=', now)
    .orderBy('removal_due_at')
    .limit(100)
    .execute();
}

/** Adds the user who stands for all deleted users, before anything is assigned to them. */
export async function ensureRemovedUser(db: Db): Promise<void> {
  await db
    .insertInto('users')
    .values({
      id: REMOVED_USER.id,
      username: REMOVED_USER.username,
      email: '',
      password_hash: '',
      is_admin: 0,
      created_at: 0,
      suspended_at: 0,
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/**
 * Reads a user whose deletion is due, and waits for transactions that store something of theirs: what these store can
 * be found afterwards, and nothing more can be stored.
 */
export async function lockLeaving(tx: Tx, userId: number, now: number, isPostgres: boolean) {
  const query = tx
    .selectFrom('users')
    .select(['id', 'username', 'email'])
    .where('id', '=', userId)
    .where('removal_due_at', '<=', now);
  // SQLite has one writer. In PostgreSQL a row that refers to the user locks it for as long as it is not committed.
  return (isPostgres ? query.forUpdate() : query).executeTakeFirst();
}

/** Deletes the user, and with the row everything that refers to it: logins, tokens, passkeys, links. */
export async function deleteUser(tx: Tx, userId: number): Promise<void> {
  // Invites refer to nobody, but say where they were sent.
  await tx
    .updateTable('registration_invites')
    .set({ email: null })
    .where('email', '=', (eb) => eb.selectFrom('users').select('email').where('id', '=', userId))
    .execute();
  await tx.deleteFrom('users').where('id', '=', userId).execute();
}
