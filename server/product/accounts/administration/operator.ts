import { Registration } from '../../../../contract/accounts/accounts.ts';
import { AppError } from '../../../lib/errors.ts';
import { recordAudit } from '../../../platform/audit/index.ts';
import { createLimits } from '../../../platform/coordination/limits/index.ts';
import { validate } from '../../../platform/http/index.ts';
import type { Mail } from '../../../platform/mail/index.ts';
import type { Db, Tx } from '../../../platform/storage/index.ts';
import { makeResetLink } from '../links/links.ts';
import { deleteUnprovenWaysIn } from '../model/login-methods.ts';
import { createPasswords } from '../model/passwords.ts';
import { type DisconnectApps, replacePassword } from '../model/replace-password.ts';
import { findUser, type KnownUser, setAdmin } from '../model/store.ts';
import { Invites } from '../registration/invites.ts';
import { createRegister, type OpenCredits } from '../registration/register.ts';
import { assertNotLastAdministrator } from './last-administrator.ts';

/** The actions of an operator on accounts, from a shell, also while the server runs. */
export interface Operator {
  /** Creates an account, even if registration is closed. */
  create(given: {
    username: string;
    email: string;
    password: string;
  }): Promise<{ id: number; username: string }>;
  /** Sets a new password, and ends all logins, tokens and links that the old one made. */
  resetPassword(username: string, password: string): Promise<void>;
  setAdmin(username: string, isAdmin: boolean): Promise<void>;
  /** A link, valid for one day, that lets the user set a new password. */
  makeResetLink(username: string): Promise<string>;
  invites: Invites;
}

export function createOperator(options: {
  db: Db;
  now: () => number;
  openCredits: OpenCredits;
  disconnectApps: DisconnectApps;
  mail: Mail;
  baseUrl: string;
}): Operator {
  const { db, now, openCredits, disconnectApps } = options;
  const passwords = createPasswords();
  const limits = createLimits();
  // The operator vouches for the addresses of new users, so they need no confirmation.
  const register = createRegister({
    ...{ db, passwords, limits, now, openCredits },
    perHour: 0,
    confirmsEmail: true,
    isTrusted: true,
  });
  const record = (tx: Tx, action: string, { id, username }: { id: number; username: string }) =>
    recordAudit(tx, {
      ...{ actor: undefined, action, address: '', ownerId: id, now: now() },
      target: { kind: 'user', id, name: username },
    });

  return {
    async create(given) {
      const { id, username } = await register(validate(Registration, given), '');
      await db.transaction().execute((tx) => record(tx, 'user.create', { id, username }));
      return { id, username };
    },
    async resetPassword(username, password) {
      const user = await required(db, username);
      validate(Registration.pick({ password: true }), { password });
      const passwordHash = await passwords.hash(password, '');
      await db.transaction().execute(async (tx) => {
        await replacePassword(tx, { userId: user.id, passwordHash }, disconnectApps);
        await deleteUnprovenWaysIn(tx, user.id, { isProvenNow: false });
        await record(tx, 'user.set_password', user);
      });
    },
    async makeResetLink(username) {
      const user = await required(db, username);
      return db.transaction().execute(async (tx) => {
        await record(tx, 'user.reset', user);
        return makeResetLink(tx, options, user.id);
      });
    },
    invites: new Invites(options),
    async setAdmin(username, isAdmin) {
      await db
        .transaction()
        .execute((tx) =>
          changeAdministrator(tx, { username, isAdmin }, (...action) => record(tx, ...action)),
        );
    },
  };
}

async function required(db: Db, username: string) {
  const user = await findUser(db, username.toLowerCase());
  if (!user) throw new AppError('NOT_FOUND', 'There is no user {username}.', { username });
  return user;
}

async function changeAdministrator(
  tx: Tx,
  { username, isAdmin }: { username: string; isAdmin: boolean },
  record: (action: string, user: KnownUser) => Promise<void>,
): Promise<void> {
  const user = await required(tx, username);
  if ((user.is_admin === 1) === isAdmin) return;
  if (!isAdmin) await assertNotLastAdministrator(tx, user.id);
  await setAdmin(tx, user.username, isAdmin);
  await record(isAdmin ? 'user.promote' : 'user.demote', user);
}
