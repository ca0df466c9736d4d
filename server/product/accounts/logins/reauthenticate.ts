import { fault } from '../../../../contract/errors.ts';
import { AppError } from '../../../lib/errors.ts';
import type { Actor } from '../../../platform/http/index.ts';
import type { Db } from '../../../platform/storage/index.ts';
import { sessionStartedAt } from '../model/session-store.ts';
import { findUserById, type KnownUser } from '../model/store.ts';
import { parseSessionFamily, passwordGivenAt } from '../model/token-store.ts';
import type { PasswordCheck } from './password-check.ts';

/** A login younger than this proves that the person is its user. */
const FRESH_LOGIN_MS = 10 * 60_000;

/**
 * Makes sure that the person at a session is its user, before a change that a thief of the session must not make. The
 * proof is the current password (the field `password` of the body), or a login within the last ten minutes, by any method.
 */
export type ProveItIsYou = (
  actor: Actor,
  given: { password?: string | undefined },
  address: string,
) => Promise<KnownUser>;

export function createProveItIsYou(options: {
  db: Db;
  now: () => number;
  passwordCheck: PasswordCheck;
}): ProveItIsYou {
  const { db, now, passwordCheck } = options;
  return async ({ userId, sessionId, family }, { password }, address) => {
    if (password) {
      const user = passwordCheck.confirm({ userId, sessionId }, password, address);
      return user.catch(withoutUsername);
    }
    const session = sessionId ?? parseSessionFamily(family);
    const startedAt = session === undefined ? passwordGivenAt(family) : await sessionStartedAt(db, session);
    const user = await findUserById(db, userId);
    if (user && startedAt !== undefined && now() - startedAt < FRESH_LOGIN_MS) return user;
    throw proofNeeded(user?.password_hash !== '');
  };
}

function proofNeeded(hasPassword: boolean): AppError {
  return new AppError(
    'FORBIDDEN',
    hasPassword
      ? 'Confirm that it is you. Send your current password in the field password, or log out and log in again: a login within the last 10 minutes is enough.'
      : 'Confirm that it is you. Log out and log in again: a login within the last 10 minutes is enough.',
    {},
    { details: [fault('password', 'is required, or a login within the last 10 minutes')] },
  );
}

/** Removes the username from an error: a logged-in user has not typed one that could be wrong. */
function withoutUsername(error: unknown): never {
  if (error instanceof AppError && error.code === 'INVALID_CREDENTIALS')
    throw new AppError('INVALID_CREDENTIALS', 'The current password is wrong. Check it and try again.');
  throw error;
}
