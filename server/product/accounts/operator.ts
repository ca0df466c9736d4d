import { Registration } from '../../../contract/accounts.ts';
import { AppError } from '../../lib/errors.ts';
import { createLimits } from '../../platform/coordination/limits/index.ts';
import { validate } from '../../platform/http/index.ts';
import type { Db } from '../../platform/storage/index.ts';
import type { DisconnectApps } from './context.ts';
import { createPasswords } from './passwords.ts';
import { createRegister, type OpenCredits } from './register.ts';
import { deleteSessions, findUser, setAdmin, setPassword } from './store.ts';
import { deleteLoginTokens } from './tokens/token-store.ts';

/** What an operator can do with accounts from a shell, also while the server runs. */
export interface Operator {
  /** Creates an account, even if registration is closed. */
  create(given: {
    username: string;
    email: string;
    password: string;
  }): Promise<{ id: number; username: string }>;
  /** Sets a new password, and ends everything that the old one opened. */
  resetPassword(username: string, password: string): Promise<void>;
  setAdmin(username: string, isAdmin: boolean): Promise<void>;
}

export function createOperator(options: {
  db: Db;
  now: () => number;
  openCredits: OpenCredits;
  disconnectApps: DisconnectApps;
}): Operator {
  const { db, now, openCredits, disconnectApps } = options;
  const passwords = createPasswords();
  const limits = createLimits();
  // The operator knows whose address it is.
  const register = createRegister({
    ...{ db, passwords, limits, now, openCredits },
    perHour: 0,
    confirmsEmail: true,
  });
  const noUser = (username: string) => new AppError('NOT_FOUND', `There is no user ${username}.`);

  return {
    async create(given) {
      const { id, username } = await register(validate(Registration, given), '');
      return { id, username };
    },
    async resetPassword(username, password) {
      const user = await findUser(db, username.toLowerCase());
      if (!user) throw noUser(username);
      validate(Registration.pick({ password: true }), { password });
      const passwordHash = await passwords.hash(password, '');
      await db.transaction().execute(async (tx) => {
        await setPassword(tx, user.id, passwordHash);
        await deleteSessions(tx, user.id, { except: undefined });
        await disconnectApps(tx, user.id);
        await deleteLoginTokens(tx, user.id, { exceptSession: undefined });
      });
    },
    async setAdmin(username, isAdmin) {
      const isDone = await db.transaction().execute((tx) => setAdmin(tx, username.toLowerCase(), isAdmin));
      if (!isDone) throw noUser(username);
    },
  };
}
