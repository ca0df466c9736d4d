import { AppError } from '../../lib/errors.ts';
import type { Db, Tx } from '../../platform/storage/index.ts';

/** How a user can log in. */
interface WaysIn {
  password: boolean;
  passkey: boolean;
  singleSignOn: boolean;
}

/** The issuer of a provider in one spelling, as it is stored. */
export const storedIssuer = ({ issuer }: { issuer: string }) => new URL(issuer).href;

/** `issuer` is the provider of single sign-on, if there is one. Connections with an earlier one let nobody in. */
export async function waysIn(db: Db, userId: number, issuer: string | undefined): Promise<WaysIn> {
  const user = await db
    .selectFrom('users')
    .select('password_hash')
    .where('id', '=', userId)
    .executeTakeFirst();
  const passkey = await db
    .selectFrom('passkeys')
    .select('id')
    .where('user_id', '=', userId)
    .executeTakeFirst();
  const connection = await db
    .selectFrom('external_logins')
    .select('subject')
    .where('user_id', '=', userId)
    .where('issuer', '=', issuer ?? '')
    .executeTakeFirst();
  return {
    // Accounts that were made by single sign-on have an empty hash.
    password: Boolean(user?.password_hash),
    passkey: passkey !== undefined,
    singleSignOn: connection !== undefined,
  };
}

/** Fails if the way in that was just removed was the last. The transaction has locked the user before. */
export async function assertWayIn(tx: Tx, userId: number, issuer: string | undefined): Promise<void> {
  const { password, passkey, singleSignOn } = await waysIn(tx, userId, issuer);
  if (password || passkey || singleSignOn) return;
  throw new AppError(
    'CONFLICT',
    'This is your only way to log in. Set a password or add a passkey first, then try again.',
  );
}

/**
 * Deletes the passkeys and single sign-on of an account whose address is proven only now, by its owner: somebody else
 * may have registered with it, and would keep a way in. Not with a second factor: it protects the account from those
 * who can only read its mail.
 */
export async function deleteOtherWaysIn(tx: Tx, userId: number): Promise<void> {
  const isProtected = await tx
    .selectFrom('users')
    .select('id')
    .where('id', '=', userId)
    .where('needs_second_factor', '=', 1)
    .executeTakeFirst();
  if (isProtected) return;
  await tx.deleteFrom('passkeys').where('user_id', '=', userId).execute();
  await tx.deleteFrom('external_logins').where('user_id', '=', userId).execute();
}
