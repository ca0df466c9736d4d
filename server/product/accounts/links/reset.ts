import type { PasswordReset } from '../../../../contract/accounts/own-account.ts';
import type { Db } from '../../../platform/storage/index.ts';
import type { SecurityNotices } from '../logins/notices.ts';
import { spendLink } from '../model/link-store.ts';
import { deleteUnprovenWaysIn } from '../model/login-methods.ts';
import type { Passwords } from '../model/passwords.ts';
import { type DisconnectApps, replacePassword } from '../model/replace-password.ts';
import { confirmEmail, findUserById, type KnownUser, lockUser } from '../model/store.ts';
import { linkGone, readLink } from './links.ts';

/** The dependencies of setting a new password. */
export interface ResetContext {
  db: Db;
  now: () => number;
  passwords: Passwords;
  notices: SecurityNotices;
  disconnectApps: DisconnectApps;
  /** Called when logins of a user have ended. */
  loginsEnded(userId: number): void;
}

/**
 * Sets a new password with a link, which is used up. Ends all logins of the old password, and every login method that
 * is older than the proof of the address.
 */
export async function resetPassword(
  context: ResetContext,
  given: PasswordReset,
  address: string,
): Promise<KnownUser> {
  const { db, now, passwords, disconnectApps, notices, loginsEnded } = context;
  const { user, email, secretHash } = await readLink(db, 'reset', given.code, now());
  const passwordHash = await passwords.hash(given.password, address);
  const changed = await db.transaction().execute(async (tx) => {
    // Lock the user first, like everything that ends links. Of two uses at once, only one finds the link.
    await lockUser(tx, user.id);
    if (!(await spendLink(tx, secretHash))) throw linkGone();
    await replacePassword(tx, { userId: user.id, passwordHash }, disconnectApps);
    // The link of a mail proves its address. A link that an administrator passed on has no address.
    const isProvenNow = await confirmEmail(tx, user.id, email, now());
    const { passkeys: removed, isFactorOff } = await deleteUnprovenWaysIn(tx, user.id, { isProvenNow });
    await notices.sendTo(tx, user.id, { kind: 'password changed' }, address);
    const removal = { kind: 'passkey removed', passkeyName: removed.join(', ') } as const;
    if (removed.length > 0) await notices.sendTo(tx, user.id, removal, address);
    if (isFactorOff) await notices.sendTo(tx, user.id, { kind: 'second factor off' }, address);
    return findUserById(tx, user.id);
  });
  loginsEnded(user.id);
  return changed ?? user;
}
