import { limitKey } from '../../lib/addresses.ts';
import { AppError } from '../../lib/errors.ts';
import { createKeyedQueue } from '../../lib/queues.ts';
import type { Limit, Limits } from '../../platform/coordination/limits/index.ts';
import type { Db } from '../../platform/storage/index.ts';
import type { KnownAddresses } from './logins/known-addresses.ts';
import type { KnownDevices } from './logins/known-devices.ts';
import type { Passwords } from './passwords.ts';
import { findUserById, findUserByLogin, type KnownUser } from './store.ts';

export type { KnownUser };

const WINDOW_SECONDS = 15 * 60;
/** For one name and address. */
const MAX_WAITING = 200;

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

/** A counter and whom it counts. */
type Counter = [Limit, string];

/**
 * Limits password guessing. An attempt is counted before the password is compared, and returned if it was right, so
 * a burst of parallel guesses gets exactly the allowance. Attempts on one name from one address wait for each other,
 * so a burst of right passwords succeeds.
 *
 * Strangers share one allowance for each account. Where a person has logged in before, they have an allowance of their
 * own, so wrong passwords from elsewhere never lock them out there. That is the browser, and for programs and browsers
 * without its cookie, the address: a school can have one address for everyone.
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
    const perAccount = { points: allowed.loginFailuresPerUsername, seconds: WINDOW_SECONDS };
    const message = 'Too many failed attempts for this username.';
    this.#options = options;
    this.#byStrangers = limits.limit('login-username', perAccount, message);
    this.#byKnown = limits.limit('login-known', perAccount, message);
    this.#perAddress = limits.limit(
      'login-address',
      { points: allowed.loginFailuresPerAddress, seconds: WINDOW_SECONDS },
      'Too many failed attempts from your address.',
    );
  }

  /** The user with this name or e-mail address, and this password. Only failures count towards the limits. */
  logIn(given: { username: string; password: string }, { request, address }: From): Promise<KnownUser> {
    const from = limitKey(address);
    return this.#inTurn(`${from} ${given.username}`, async () => {
      const user = await findUserByLogin(this.#options.db, given.username);
      const counters = await this.#countersOf(user, given.username, { request, address });
      return this.#compare(counters, user, given.password, address);
    });
  }

  /** Takes the same steps for an unknown name, so that they take the same time. */
  async #countersOf(
    user: KnownUser | undefined,
    name: string,
    { request, address }: From,
  ): Promise<Counter[]> {
    const { addresses, devices } = this.#options;
    const from = limitKey(address);
    const account = user ? `#${user.id}` : name;
    const device = devices.find(request, user?.id ?? 0);
    const isKnown = await addresses.isKnown(user?.id ?? 0, address);
    if (device !== undefined) return [[this.#byKnown, `${account} device ${device}`]];
    if (isKnown) return [[this.#byKnown, `${account} ${from}`]];
    return [
      [this.#perAddress, from],
      [this.#byStrangers, account],
    ];
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
    const giveBack = () => Promise.all(counters.map(([limit, key]) => limit.giveBack(key)));
    for (const [limit, key] of counters) await limit.take(key);
    const fits = await this.#options.passwords
      .verify(password, user?.password_hash, address)
      .catch(async (error: unknown) => {
        // An attempt that was not compared has not failed.
        await giveBack();
        throw error;
      });
    if (!user || !fits) throw wrongCredentials();
    await giveBack();
    return user;
  }
}

function wrongCredentials(): AppError {
  return new AppError(
    'INVALID_CREDENTIALS',
    'The username or the password is wrong. Check both and try again.',
  );
}
