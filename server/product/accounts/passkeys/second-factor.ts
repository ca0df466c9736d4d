import { AppError } from '../../../lib/errors.ts';
import type { Limits } from '../../../platform/coordination/limits/index.ts';
import type { Db, Tx } from '../../../platform/storage/index.ts';
import type { SecurityNotices } from '../logins/notices.ts';
import { assertNotSuspended } from '../logins/sign-in.ts';
import {
  countPasskeys,
  needsSecondFactor,
  replaceRecoveryCodes,
  setSecondFactor,
  spendRecoveryCode,
} from '../model/passkey-store.ts';
import { type KnownUser, lockUser } from '../model/store.ts';
import { hashRecoveryCode, makeRecoveryCodes } from './recovery-codes.ts';

/** Wrong recovery codes per user, from people who know the password. */
const WRONG_CODES = { points: 10, seconds: 15 * 60 };

/** The second factor: a passkey after the password, or a recovery code for people who have lost their passkeys. */
export class SecondFactor {
  readonly #db: Db;
  readonly #notices: SecurityNotices;
  readonly #wrongCodes;

  constructor({ db, notices, limits }: { db: Db; notices: SecurityNotices; limits: Limits }) {
    this.#db = db;
    this.#notices = notices;
    this.#wrongCodes = limits.limit(
      'recovery-code',
      WRONG_CODES,
      'Too many wrong recovery codes. Try again {wait}.',
    );
  }

  /** Turns the second factor on and returns the recovery codes. */
  turnOn(userId: number): Promise<string[]> {
    return this.#db.transaction().execute(async (tx) => {
      await lockUser(tx, userId);
      if ((await countPasskeys(tx, userId)) === 0)
        throw new AppError('CONFLICT', 'You have no passkey yet. Add one first.');
      if (!(await setSecondFactor(tx, userId, true)))
        throw new AppError('CONFLICT', 'The second factor is already on.');
      return newCodes(tx, userId);
    });
  }

  /** Replaces all recovery codes. */
  replaceCodes(userId: number): Promise<string[]> {
    return this.#db.transaction().execute(async (tx) => {
      await lockUser(tx, userId);
      if (!(await needsSecondFactor(tx, userId)))
        throw new AppError('CONFLICT', 'Recovery codes are for the second factor. Turn it on first.');
      return newCodes(tx, userId);
    });
  }

  /** Turns the second factor off and sends the user a notice. False if it was already off. */
  async turnOff(tx: Tx, userId: number, address?: string): Promise<boolean> {
    await lockUser(tx, userId);
    if (!(await setSecondFactor(tx, userId, false))) return false;
    await replaceRecoveryCodes(tx, userId, []);
    await this.#notices.sendTo(tx, userId, { kind: 'second factor off' }, address);
    return true;
  }

  /** Uses up a recovery code of somebody whose password was right, unless `assertFirst` fails. */
  async spendCode(user: KnownUser, code: string, assertFirst: () => Promise<void>): Promise<void> {
    assertNotSuspended(user);
    await this.#wrongCodes.take(String(user.id));
    await this.#db.transaction().execute(async (tx) => {
      if (!(await spendRecoveryCode(tx, user.id, hashRecoveryCode(code))))
        throw new AppError(
          'INVALID_CREDENTIALS',
          'This is not one of your recovery codes, or it was already used. Check it, or use another one.',
        );
      await assertFirst();
    });
    await this.#wrongCodes.giveBack(String(user.id));
  }
}

async function newCodes(tx: Tx, userId: number): Promise<string[]> {
  const codes = makeRecoveryCodes();
  await replaceRecoveryCodes(tx, userId, codes.map(hashRecoveryCode));
  return codes;
}
