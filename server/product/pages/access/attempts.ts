import { limitKey } from '../../../lib/addresses.ts';
import { AppError } from '../../../lib/errors.ts';
import { createKeyedQueue } from '../../../lib/queues.ts';
import type { Limits } from '../../../platform/coordination/limits/index.ts';
import type { Db } from '../../../platform/storage/index.ts';
import { findPasswordHash } from '../model/access-store.ts';

/** Hashes the passwords of pages, like those of accounts. Addresses take turns. */
export interface PagePasswords {
  hash(password: string, address: string): Promise<string>;
  verify(password: string, hash: string | undefined, address: string): Promise<boolean>;
}

const WINDOW_SECONDS = 15 * 60;
/** Wrong passwords from one address: for one page, and for all pages together. */
const MAX_WRONG_FOR_PAGE = 10;
const MAX_WRONG_FOR_ALL = 100;
/** The most attempts that wait from one IP address for one page. */
const MAX_WAITING = 200;

/** Fails unless this is the password of the page. */
type CheckPassword = (pageId: number, password: string, address: string) => Promise<void>;

/**
 * Limits guessing by address, never by page alone: nobody can keep others out by guessing. As with logins, an attempt is
 * counted before the password is compared, and given back if it was right.
 */
export function createCheckPassword(options: {
  db: Db;
  passwords: PagePasswords;
  limits: Limits;
}): CheckPassword {
  const { db, passwords, limits } = options;
  const message = 'Too many wrong passwords from your address. Try again {wait}.';
  const perPage = limits.limit(
    'page password',
    { points: MAX_WRONG_FOR_PAGE, seconds: WINDOW_SECONDS },
    message,
  );
  const perAddress = limits.limit(
    'page passwords',
    { points: MAX_WRONG_FOR_ALL, seconds: WINDOW_SECONDS },
    message,
  );
  const inTurn = createKeyedQueue({
    maxWaiting: MAX_WAITING,
    refused: () =>
      new AppError(
        'RATE_LIMITED',
        'Too many passwords at once. Wait for the responses before you try again.',
      ),
  });

  return (pageId, password, address) => {
    const from = limitKey(address);
    const key = `${from} ${pageId}`;
    return inTurn(key, async () => {
      await perAddress.take(from);
      await perPage.take(key);
      const giveBack = async () => {
        await perAddress.giveBack(from);
        await perPage.giveBack(key);
      };
      const fits = await findPasswordHash(db, pageId)
        .then((hash) => passwords.verify(password, hash, address))
        // An attempt whose password was not compared does not count as failed.
        .catch(async (error: unknown) => {
          await giveBack();
          throw error;
        });
      if (!fits) throw new AppError('FORBIDDEN', 'This password is wrong. Check it and try again.');
      await giveBack();
    });
  };
}
