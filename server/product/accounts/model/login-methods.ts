import { AppError } from '../../../lib/errors.ts';
import type { Db, Tx } from '../../../platform/storage/index.ts';
import { countPasskeys, replaceRecoveryCodes, setSecondFactor } from './passkey-store.ts';
import { findUserById } from './store.ts';

/** How a user can log in. */
interface WaysIn {
  password: boolean;
  passkey: boolean;
  singleSignOn: boolean;
}

/** The issuer of a provider in one spelling, as it is stored. */
export const storedIssuer = ({ issuer }: { issuer: string }) => new URL(issuer).href;

/** How a user can log in. Of single sign-on connections, only those with the current provider (`issuer`) count. */
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

/** Fails if the login method that was just removed was the last. The transaction has locked the user before. */
export async function assertWayIn(tx: Tx, userId: number, issuer: string | undefined): Promise<void> {
  const { password, passkey, singleSignOn } = await waysIn(tx, userId, issuer);
  if (password || passkey || singleSignOn) return;
  throw new AppError(
    'CONFLICT',
    'This is your only way to log in. Set a password or add a passkey first, then try again.',
  );
}

/**
 * Deletes the passkeys and single sign-on that were added before the address of the account was proven: somebody else may
 * have registered with it, and could still log in. If a second factor has no passkey left, it is turned off, because
 * only that person could give it. `isProvenNow` says that nothing was proven until this transaction. Returns the
 * names of the passkeys, and whether the second factor was turned off.
 */
export async function deleteUnprovenWaysIn(
  tx: Tx,
  userId: number,
  { isProvenNow }: { isProvenNow: boolean },
): Promise<{ passkeys: string[]; isFactorOff: boolean }> {
  const user = await findUserById(tx, userId);
  const provenAt = isProvenNow ? Number.MAX_SAFE_INTEGER : (user?.email_confirmed_at ?? 0);
  const passkeys = await tx
    .deleteFrom('passkeys')
    .where('user_id', '=', userId)
    .where('created_at', '<', provenAt)
    .returning('name')
    .execute();
  await tx
    .deleteFrom('external_logins')
    .where('user_id', '=', userId)
    .where('created_at', '<', provenAt)
    .execute();
  const isLeftOver = passkeys.length > 0 && (await countPasskeys(tx, userId)) === 0;
  const isFactorOff = isLeftOver && (await setSecondFactor(tx, userId, false));
  if (isFactorOff) await replaceRecoveryCodes(tx, userId, []);
  return { passkeys: passkeys.map(({ name }) => name), isFactorOff };
}
