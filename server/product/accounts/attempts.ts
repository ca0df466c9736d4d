import { limitKey } from '../../lib/addresses.ts';
import { AppError } from '../../lib/errors.ts';
import { createKeyedQueue } from '../../lib/queues.ts';
import type { Limits } from '../../platform/coordination/limits/index.ts';
import type { Db } from '../../platform/storage/index.ts';
import type { Passwords } from './passwords.ts';
import { findUser } from './store.ts';

const WINDOW_SECONDS = 15 * 60;
/** For one name and address. */
const MAX_WAITING = 200;

export type KnownUser = NonNullable<Awaited<ReturnType<typeof findUser>>>;

/** Checks a name and password. Only failures count towards the limits. */
export type CheckCredentials = (
  given: { username: string; password: string },
  address: string,
) => Promise<KnownUser>;

/**
 * Limits password guessing. An attempt is counted before the password is compared, and returned if it was right, so
 * a burst of parallel guesses gets exactly the allowance. Attempts on one name from one address wait for each other,
 * so a burst of right passwords succeeds.
 */
export function createCheckCredentials(options: {
  db: Db;
  passwords: Passwords;
  limits: Limits;
  allowed: { loginFailuresPerUsername: number; loginFailuresPerAddress: number };
}): CheckCredentials {
  const { db, passwords, limits, allowed } = options;
  const perUsername = limits.limit(
    'login-username',
    { points: allowed.loginFailuresPerUsername, seconds: WINDOW_SECONDS },
    'Too many failed attempts for this username.',
  );
  const perAddress = limits.limit(
    'login-address',
    { points: allowed.loginFailuresPerAddress, seconds: WINDOW_SECONDS },
    'Too many failed attempts from your address.',
  );
  const inTurn = createKeyedQueue({
    maxWaiting: MAX_WAITING,
    refused: () =>
      new AppError(
        'RATE_LIMITED',
        'Too many login attempts at once. Wait for the responses before you try again.',
      ),
  });

  return ({ username, password }, address) => {
    const from = limitKey(address);
    return inTurn(`${from} ${username}`, async () => {
      await perAddress.take(from);
      await perUsername.take(username);
      const giveBack = async () => {
        await perAddress.giveBack(from);
        await perUsername.giveBack(username);
      };
      const compare = async () => {
        const user = await findUser(db, username);
        return { user, fits: await passwords.verify(password, user?.password_hash, address) };
      };
      // An attempt that was not compared has not failed.
      const { user, fits } = await compare().catch(async (error: unknown) => {
        await giveBack();
        throw error;
      });
      if (!user || !fits)
        throw new AppError(
          'INVALID_CREDENTIALS',
          'The username or the password is wrong. Check both and try again.',
        );
      await giveBack();
      return user;
    });
  };
}
