import type { Registration } from '../../../../contract/accounts/accounts.ts';
import { fault } from '../../../../contract/errors.ts';
import { limitKey } from '../../../lib/addresses.ts';
import { AppError } from '../../../lib/errors.ts';
import type { Limits } from '../../../platform/coordination/limits/index.ts';
import type { Db, Tx } from '../../../platform/storage/index.ts';
import type { Passwords } from '../model/passwords.ts';
import { findUserById, insertUser, isKept, isTaken, type KnownUser } from '../model/store.ts';
import type { Admission } from './admission.ts';
import { isReserved } from './reserved-names.ts';

/** Opens the credit account of a new user, in the transaction that adds the user. */
export type OpenCredits = (tx: Tx, userId: number) => Promise<void>;

/** A new account. Without a password, its user has another login method. */
type NewAccount = Omit<Registration, 'password'> & { password?: string };

/** The party that vouches for a new user, such as a single sign-on provider. */
interface Voucher {
  /** True if the party has confirmed that the address is the user's. */
  confirmsEmail: boolean;
  /** Called in the transaction that adds the user. */
  onAdded(tx: Tx, user: KnownUser): Promise<void>;
}

export type Register = (given: NewAccount, address: string, voucher?: Voucher) => Promise<KnownUser>;

interface RegisterOptions {
  db: Db;
  passwords: Passwords;
  limits: Limits;
  now: () => number;
  perHour: number;
  openCredits: OpenCredits;
  /** Decides who can register. Without it, everyone who sets a password can. */
  admission?: Admission;
  /** True if the operator vouches for the addresses of new users. */
  confirmsEmail?: boolean;
  /** True if the people who run this server choose the name, which can then be one that is reserved for them. */
  isTrusted?: boolean;
  /** Called in the transaction that adds a user. */
  onRegistered?(tx: Tx, user: KnownUser): Promise<void>;
}

export function createRegister(options: RegisterOptions): Register {
  const { db, passwords, limits } = options;
  const perAddress = limits.limit(
    'registrations',
    { points: options.perHour, seconds: 3600 },
    'Too many new accounts from your address. Try again {wait}.',
  );

  const by = () => ({ now: options.now(), isTrusted: options.isTrusted });
  return async (given, address, voucher) => {
    await perAddress.take(limitKey(address));
    await options.admission?.look(given.invite, address);
    await assertFree(db, given, by());
    // An empty hash matches no password.
    const passwordHash = given.password === undefined ? '' : await passwords.hash(given.password, address);
    const added = { ...given, passwordHash };
    const user = await db.transaction().execute((tx) => addUser(tx, options, added, voucher));
    if (user) return user;
    await assertFree(db, given, by());
    throw takenMeanwhile();
  };
}

/** Adds a user; undefined, and no use of the invite, if the name or the address was taken just now. */
async function addUser(
  tx: Tx,
  { admission, confirmsEmail, now, openCredits, onRegistered }: RegisterOptions,
  given: NewAccount & { passwordHash: string },
  voucher: Voucher | undefined,
): Promise<KnownUser | undefined> {
  const { username, email, invite, passwordHash } = given;
  if ((await isTaken(tx, 'username', username)) || (await isTaken(tx, 'email', email))) return undefined;
  const admitted = await admission?.admit(tx, { invite, email });
  const isConfirmed = [confirmsEmail, voucher?.confirmsEmail, admitted?.isEmailConfirmed].includes(true);
  const id = await insertUser(tx, { username, email, passwordHash, now: now(), isConfirmed });
  // Throwing rolls back, so the invite keeps its use.
  if (id === undefined) throw takenMeanwhile();
  await openCredits(tx, id);
  const user = await findUserById(tx, id);
  if (user) {
    await voucher?.onAdded(tx, user);
    await onRegistered?.(tx, user);
  }
  return user;
}

function takenMeanwhile(): AppError {
  return new AppError('CONFLICT', 'This username or e-mail address was taken just now. Choose another.');
}

/** The name under which the platform's own functions are listed. */
const PLATFORM = 'system';

/** The person who wants a name. */
interface Claimant {
  now: number;
  /** The id of an existing user: names that they had before are free for them. */
  userId?: number | undefined;
  /** Whether the person may have a name that is reserved for the people who run this server. */
  isTrusted?: boolean | undefined;
}

async function assertFree(db: Db, { username, email }: Pick<NewAccount, 'username' | 'email'>, by: Claimant) {
  await assertNameFree(db, username, by);
  if (await isTaken(db, 'email', email)) {
    throw new AppError(
      'CONFLICT',
      'There is an account with this e-mail address. Log in instead.',
      {},
      {
        details: [fault('email', 'belongs to an account')],
      },
    );
  }
}

/** Whether a name is free: not taken, reserved, or kept for another user who had it. */
export async function isNameFree(db: Db, username: string, by: Claimant): Promise<boolean> {
  if (isReservedFor(username, by) || (await isTaken(db, 'username', username))) return false;
  return !(await isKept(db, username, by));
}

/** Fails if this name is taken, reserved, or kept for another user who had it. */
export async function assertNameFree(db: Db, username: string, by: Claimant): Promise<void> {
  if (await isNameFree(db, username, by)) return;
  const isReserved = isReservedFor(username, by);
  throw new AppError(
    'CONFLICT',
    isReserved
      ? 'The username {name} is reserved. Choose another.'
      : 'The username {name} is taken. Choose another.',
    { name: username },
    { details: [isReserved ? fault('username', 'is reserved') : fault('username', 'is taken')] },
  );
}

const isReservedFor = (username: string, { isTrusted }: Claimant) =>
  username === PLATFORM || (!isTrusted && isReserved(username));
