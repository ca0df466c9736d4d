import type { Registration } from '../../../contract/accounts.ts';
import { limitKey } from '../../lib/addresses.ts';
import { AppError } from '../../lib/errors.ts';
import type { Limits } from '../../platform/coordination/limits/index.ts';
import type { Db, Tx } from '../../platform/storage/index.ts';
import type { KnownUser } from './attempts.ts';
import type { Passwords } from './passwords.ts';
import { findUserById, insertUser, isTaken } from './store.ts';

/** Opens the credit account of a new user, in the transaction that adds the user. */
export type OpenCredits = (tx: Tx, userId: number) => Promise<void>;

export type Register = (given: Registration, address: string) => Promise<KnownUser>;

export function createRegister(options: {
  db: Db;
  passwords: Passwords;
  limits: Limits;
  now: () => number;
  perHour: number;
  openCredits: OpenCredits;
  /** True if the operator vouches for the addresses of new users. */
  confirmsEmail?: boolean;
}): Register {
  const { db, passwords, limits, now } = options;
  const perAddress = limits.limit(
    'registrations',
    { points: options.perHour, seconds: 3600 },
    'Too many new accounts from your address.',
  );

  return async (given, address) => {
    await perAddress.take(limitKey(address));
    await assertFree(db, given);
    const passwordHash = await passwords.hash(given.password, address);
    const id = await db.transaction().execute(async (tx) => {
      const userId = await insertUser(tx, {
        ...given,
        passwordHash,
        now: now(),
        isConfirmed: options.confirmsEmail === true,
      });
      if (userId !== undefined) {
        await options.openCredits(tx, userId);
      }
      return userId;
    });
    const user = id === undefined ? undefined : await findUserById(db, id);
    if (user) return user;
    await assertFree(db, given);
    throw new AppError('CONFLICT', 'This username or e-mail address was taken just now. Choose another.');
  };
}

/** The name under which the platform's own functions are listed. */
const PLATFORM = 'system';

async function assertFree(db: Db, { username, email }: Registration): Promise<void> {
  if (username === PLATFORM || (await isTaken(db, 'username', username))) {
    throw new AppError('CONFLICT', `The username ${username} is taken. Choose another.`, {
      details: [{ path: 'username', message: 'is taken' }],
    });
  }
  if (await isTaken(db, 'email', email)) {
    throw new AppError('CONFLICT', 'There is an account with this e-mail address. Log in instead.', {
      details: [{ path: 'email', message: 'belongs to an account' }],
    });
  }
}
