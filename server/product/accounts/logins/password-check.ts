import { setTimeout as pause } from 'node:timers/promises';
import { limitKey } from '../../../lib/addresses.ts';
import { AppError } from '../../../lib/errors.ts';
import { createKeyedQueue } from '../../../lib/queues.ts';
import type { Limit, Limits } from '../../../platform/coordination/limits/index.ts';
import type { Db } from '../../../platform/storage/index.ts';
import type { Passwords } from '../model/passwords.ts';
import { findUserById, findUserByLogin, type KnownUser } from '../model/store.ts';
import type { KnownAddresses } from './known-addresses.ts';
import type { KnownDevices } from './known-devices.ts';

export type { KnownUser };

const WINDOW_SECONDS = 15 * 60;
/** The most attempts that wait for one name and address. */
const MAX_WAITING = 200;
/** Refusals are sent at whole multiples of this time, which is longer than comparing a password takes. */
const REFUSED_AFTER_MS = 1_000;

/** Checks a name or an e-mail address, and a password. Only failures count towards the limits. */
export type CheckCredentials = (
  given: { username: string; password: string },
  from: From,
) => Promise<KnownUser>;

/** Where an attempt comes from. */
export interface From {
  request: Request;
  address: string;
}

interface Allowed {
  loginFailuresPerUsername: number;
  loginFailuresPerAddress: number;
}

/** A rate limit, and the key that it counts under. */
type Counter = [Limit, string];

/**
 * Limits password guessing. An attempt is counted before the password is compared, and returned if it was right, so
 * a burst of parallel guesses gets exactly the allowance. Attempts on one name from one address wait for each other,
 * so a burst of right passwords succeeds.
 *
 * Strangers share one allowance for each name or e-mail address that they type. The two of one account count apart:
 * otherwise a refusal would show that the name and the address belong together.
 *
 * Where a person has logged in before, they have an allowance of their own, so wrong passwords from elsewhere never lock
 * them out there. That is the browser, and for programs and browsers without its cookie, the address: a school can have
 * one address for everyone. Somebody else at that address must not find out who logs in there. So a wrong password gets
 * the response that a stranger gets, after the same time.
 */
export class PasswordCheck {
  readonly #options: {
    db: Db;
    passwords: Passwords;
    addresses: KnownAddresses;
    devices: KnownDevices;
  };
  readonly #byStrangers: Limit;
  readonly #byKnown: Limit;
  readonly #perAddress: Limit;
  readonly #inTurn = createKeyedQueue({
    maxWaiting: MAX_WAITING,
    refused: () =>
      new AppError(
        'RATE_LIMITED',
        'Too many login attempts at once. Wait for the responses before you try again.',
      ),
  });

  constructor(options: {
    db: Db;
    passwords: Passwords;
    addresses: KnownAddresses;
    devices: KnownDevices;
    limits: Limits;
    allowed: Allowed;
  }) {
    const { limits, allowed } = options;
    const perName = { points: allowed.loginFailuresPerUsername, seconds: WINDOW_SECONDS };
    const message = 'Too many failed attempts for this username. Try again {wait}.';
    this.#options = options;
    this.#byStrangers = limits.limit('login-username', perName, message);
    this.#byKnown = limits.limit('login-known', perName, message);
    this.#perAddress = limits.limit(
      'login-address',
      { points: allowed.loginFailuresPerAddress, seconds: WINDOW_SECONDS },
      'Too many failed attempts from your address. Try again {wait}.',
    );
  }

  /** The user with this name or e-mail address, and this password. Only failures count towards the limits. */
  logIn(given: { username: string; password: string }, from: From): Promise<KnownUser> {
    const startedAt = performance.now();
    return this.#inTurn(`${limitKey(from.address)} ${given.username}`, () =>
      this.#attempt(given, from),
    ).catch(async (error: unknown) => {
      if (error instanceof AppError && error.code === 'RATE_LIMITED') {
        const elapsedMs = performance.now() - startedAt;
        await pause(REFUSED_AFTER_MS - (elapsedMs % REFUSED_AFTER_MS));
      }
      throw error;
    });
  }

  /** Takes the same steps for known and unknown names, so that both take the same time. */
  async #attempt({ username, password }: { username: string; password: string }, { request, address }: From) {
    const { db, addresses, devices } = this.#options;
    const user = await findUserByLogin(db, username);
    const userId = user?.id ?? 0;
    const from = limitKey(address);
    const device = devices.find(request, userId);
    const isKnown = await addresses.isKnown(userId, address);
    const ofDevice: Counter = [this.#byKnown, `#${userId} device ${device}`];
    if (device !== undefined) return this.#compare([ofDevice], user, password, address);
    const strangers: Counter[] = [
      [this.#perAddress, from],
      [this.#byStrangers, username],
    ];
    const ofAddress: Counter = [this.#byKnown, `#${userId} ${from}`];
    if (isKnown && (await tryTake(ofAddress)))
      return this.#compareTaken([ofAddress], user, password, address).catch(async (error: unknown) => {
        if (isWrong(error)) await takeAll(strangers);
        throw error;
      });
    return this.#compare(strangers, user, password, address);
  }

  /**
   * The user of a session, if the password is theirs. A session has an allowance of its own: an attacker elsewhere
   * cannot use it up, and somebody with a stolen session cannot get more by changing addresses.
   */
  confirm(session: { userId: number; sessionId: number | undefined }, password: string, address: string) {
    const account = `#${session.userId} session ${session.sessionId ?? 'none'}`;
    return this.#inTurn(account, async () => {
      const user = await findUserById(this.#options.db, session.userId);
      return this.#compare([[this.#byKnown, account]], user, password, address);
    });
  }

  async #compare(counters: Counter[], user: KnownUser | undefined, password: string, address: string) {
    await takeAll(counters);
    return this.#compareTaken(counters, user, password, address);
  }

  async #compareTaken(counters: Counter[], user: KnownUser | undefined, password: string, address: string) {
    const giveBack = () => Promise.all(counters.map(([limit, key]) => limit.giveBack(key)));
    const fits = await this.#options.passwords
      .verify(password, user?.password_hash, address)
      .catch(async (error: unknown) => {
        // An attempt whose password was not compared does not count as failed.
        await giveBack();
        throw error;
      });
    if (!user || !fits) throw wrongCredentials();
    await giveBack();
    return user;
  }
}

async function takeAll(counters: Counter[]): Promise<void> {
  for (const [limit, key] of counters) await limit.take(key);
}

/** Counts an attempt. False if the limit is reached. */
function tryTake([limit, key]: Counter): Promise<boolean> {
  return limit.take(key).then(
    () => true,
    () => false,
  );
}

const isWrong = (error: unknown) => error instanceof AppError && error.code === 'INVALID_CREDENTIALS';

function wrongCredentials(): AppError {
  return new AppError(
    'INVALID_CREDENTIALS',
    'The username or the password is wrong. Check both and try again.',
  );
}
