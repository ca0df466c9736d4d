import { countRows, type Db, type Tx } from '../../../platform/storage/index.ts';

/** SQL for passkeys, recovery codes and the second factor. */

interface NewPasskeyRow {
  userId: number;
  credentialId: string;
  publicKey: string;
  counter: number;
  transports: string[];
  name: string;
  isSynced: boolean;
  now: number;
}

export type PasskeyRow = Awaited<ReturnType<typeof listPasskeys>>[number];

export function listPasskeys(db: Db, userId: number) {
  return db.selectFrom('passkeys').selectAll().where('user_id', '=', userId).orderBy('id').execute();
}

export function findPasskey(db: Db, credentialId: string) {
  return db.selectFrom('passkeys').selectAll().where('credential_id', '=', credentialId).executeTakeFirst();
}

export function countPasskeys(db: Db, userId: number): Promise<number> {
  return countRows(db.selectFrom('passkeys').where('user_id', '=', userId));
}

/** Adds a passkey. Undefined if there is a passkey with this credential already. */
export function insertPasskey(tx: Tx, passkey: NewPasskeyRow): Promise<PasskeyRow | undefined> {
  return tx
    .insertInto('passkeys')
    .values({
      user_id: passkey.userId,
      credential_id: passkey.credentialId,
      public_key: passkey.publicKey,
      counter: passkey.counter,
      transports: JSON.stringify(passkey.transports),
      name: passkey.name,
      is_synced: passkey.isSynced ? 1 : 0,
      created_at: passkey.now,
      last_used_at: null,
    })
    .onConflict((conflict) => conflict.column('credential_id').doNothing())
    .returningAll()
    .executeTakeFirst();
}

/** Records a use. False if another login used this counter first, or the passkey was removed. */
export async function usePasskey(
  db: Db,
  id: number,
  use: { from: number; counter: number; isSynced: boolean; now: number },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('passkeys')
    .set({ counter: use.counter, is_synced: use.isSynced ? 1 : 0, last_used_at: use.now })
    .where('id', '=', id)
    .where('counter', '=', use.from)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

export function renamePasskey(db: Db, userId: number, id: number, name: string) {
  return db
    .updateTable('passkeys')
    .set({ name })
    .where('user_id', '=', userId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
}

export function deletePasskey(tx: Tx, userId: number, id: number) {
  return tx
    .deleteFrom('passkeys')
    .where('user_id', '=', userId)
    .where('id', '=', id)
    .returning('name')
    .executeTakeFirst();
}

export async function needsSecondFactor(db: Db, userId: number): Promise<boolean> {
  const query = db.selectFrom('users').select('needs_second_factor').where('id', '=', userId);
  return (await query.executeTakeFirst())?.needs_second_factor === 1;
}

/** Turns the second factor on or off. False if nothing changed. */
export async function setSecondFactor(tx: Tx, userId: number, isOn: boolean): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('users')
    .set({ needs_second_factor: isOn ? 1 : 0 })
    .where('id', '=', userId)
    .where('needs_second_factor', '=', isOn ? 0 : 1)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

export async function replaceRecoveryCodes(tx: Tx, userId: number, hashes: string[]): Promise<void> {
  await tx.deleteFrom('recovery_codes').where('user_id', '=', userId).execute();
  if (hashes.length === 0) return;
  await tx
    .insertInto('recovery_codes')
    .values(hashes.map((code_hash) => ({ user_id: userId, code_hash })))
    .execute();
}

/** Uses up a recovery code. False if there is no such code: it may have been used a moment ago. */
export async function spendRecoveryCode(db: Db, userId: number, hash: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('recovery_codes')
    .where('user_id', '=', userId)
    .where('code_hash', '=', hash)
    .executeTakeFirst();
  return numDeletedRows === 1n;
}

export function countRecoveryCodes(db: Db, userId: number): Promise<number> {
  return countRows(db.selectFrom('recovery_codes').where('user_id', '=', userId));
}
