import { countRows, type Db, type Tx } from '../../../platform/storage/index.ts';

/** SQL for invites to register. */

export interface NewInvite {
  secretHash: string;
  createdBy: number | undefined;
  email: string | undefined;
  note: string;
  maxUses: number;
  now: number;
  expiresAt: number;
}

export async function insertInvite(tx: Tx, invite: NewInvite): Promise<number> {
  const { id } = await tx
    .insertInto('registration_invites')
    .values({
      secret_hash: invite.secretHash,
      created_by: invite.createdBy ?? null,
      email: invite.email ?? null,
      note: invite.note,
      uses: 0,
      max_uses: invite.maxUses,
      created_at: invite.now,
      expires_at: invite.expiresAt,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

const usable = (db: Db, secretHash: string, now: number) =>
  db
    .selectFrom('registration_invites')
    .selectAll()
    .where('secret_hash', '=', secretHash)
    .where('expires_at', '>', now)
    .where((eb) => eb('uses', '<', eb.ref('max_uses')));

/** The invite with this secret, if it can still be used. */
export function findUsableInvite(db: Db, secretHash: string, now: number) {
  return usable(db, secretHash, now).executeTakeFirst();
}

/** Counts one use of an invite. Undefined if none is left, also if several people register at once. */
export function takeInviteUse(tx: Tx, secretHash: string, now: number) {
  return tx
    .updateTable('registration_invites')
    .set((eb) => ({ uses: eb('uses', '+', 1) }))
    .where('secret_hash', '=', secretHash)
    .where('expires_at', '>', now)
    .where((eb) => eb('uses', '<', eb.ref('max_uses')))
    .returning(['id', 'email'])
    .executeTakeFirst();
}

export function listInvites(db: Db, limit: number) {
  return db
    .selectFrom('registration_invites')
    .leftJoin('users', 'users.id', 'registration_invites.created_by')
    .select(['registration_invites.id', 'note', 'registration_invites.email', 'uses', 'max_uses'])
    .select(['registration_invites.created_at', 'expires_at', 'users.username'])
    .orderBy('registration_invites.id', 'desc')
    .limit(limit)
    .execute();
}

export function countInvites(tx: Tx): Promise<number> {
  return countRows(tx.selectFrom('registration_invites'));
}

/** Deletes an invite and returns its note; undefined if there is no such invite. */
export async function deleteInvite(tx: Tx, id: number): Promise<{ note: string } | undefined> {
  return tx.deleteFrom('registration_invites').where('id', '=', id).returning('note').executeTakeFirst();
}

export async function deleteInvitesExpiredBefore(db: Db, moment: number): Promise<void> {
  await db.deleteFrom('registration_invites').where('expires_at', '<', moment).execute();
}
