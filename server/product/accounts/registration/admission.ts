import type { RegistrationMode } from '../../../../contract/accounts/registration-modes.ts';
import { fault } from '../../../../contract/errors.ts';
import { limitKey } from '../../../lib/addresses.ts';
import { AppError } from '../../../lib/errors.ts';
import { hashSecret } from '../../../lib/secrets.ts';
import type { Limit, Limits } from '../../../platform/coordination/limits/index.ts';
import type { Db, Tx } from '../../../platform/storage/index.ts';
import { findUsableInvite, takeInviteUse } from './invite-store.ts';

/** Wrong invites per IP address. Codes are too long to guess, but each attempt costs a query. */
const WRONG_INVITES = { points: 30, seconds: 15 * 60 };

/** Decides who can create an account, by the mode that is set at this moment. */
export class Admission {
  readonly #options: { db: Db; now: () => number; registration(db?: Db): Promise<RegistrationMode> };
  readonly #wrongInvites: Limit;

  constructor(options: {
    db: Db;
    now: () => number;
    limits: Limits;
    registration(db?: Db): Promise<RegistrationMode>;
  }) {
    this.#options = options;
    this.#wrongInvites = options.limits.limit(
      'wrong-invites',
      WRONG_INVITES,
      'Too many invites that do not work, from your address. Try again {wait}.',
    );
  }

  mode(): Promise<RegistrationMode> {
    return this.#options.registration();
  }

  /** Fails early if the person cannot register with this invite or without one. Returns the note of the invite. */
  async look(invite: string | undefined, address: string): Promise<{ note: string; email: string | null }> {
    const mode = await this.mode();
    if (mode === 'closed') throw registrationClosed();
    if (!invite && mode === 'invite') throw inviteNeeded();
    const found = invite ? await this.#find(invite) : undefined;
    if (found || mode === 'open') return { note: found?.note ?? '', email: found?.email ?? null };
    await this.#wrongInvites.take(limitKey(address));
    throw inviteGone();
  }

  /**
   * Admits a new user, in the transaction that adds them, and uses up one use of the invite. Returns whether the
   * address is confirmed because the invite was sent there.
   */
  async admit(tx: Tx, { invite, email }: { invite: string | undefined; email: string }) {
    const mode = await this.#options.registration(tx);
    if (mode === 'closed') throw registrationClosed();
    if (!invite && mode === 'invite') throw inviteNeeded();
    const used = invite ? await takeInviteUse(tx, hashSecret(invite), this.#options.now()) : undefined;
    if (!used && mode === 'invite') throw inviteGone();
    return { isEmailConfirmed: used !== undefined && used.email === email };
  }

  #find(invite: string) {
    return findUsableInvite(this.#options.db, hashSecret(invite), this.#options.now());
  }
}

function registrationClosed(): AppError {
  return new AppError(
    'FORBIDDEN',
    'Registration is closed on this server. Ask its administrator for an account.',
  );
}

function inviteNeeded(): AppError {
  return new AppError(
    'FORBIDDEN',
    'Registration is by invite on this server. Open the link of an invite, or send its code in the field invite. Administrators can make one.',
  );
}

function inviteGone(): AppError {
  return new AppError(
    'FORBIDDEN',
    'This invite does not exist, has expired or is used up. Ask for a new one.',
    {},
    { details: [fault('invite', 'does not work')] },
  );
}
