import { AppError } from '../../../lib/errors.ts';
import { toTimestamp } from '../../../lib/timestamp.ts';
import { assertPasswordStands } from '../model/store.ts';
import type { SecurityNotices } from './notices.ts';
import type { KnownUser } from './password-check.ts';
import type { LoginMethod, Sessions } from './sessions.ts';

/** A user who has proven who they are, and the method. */
export interface Proof {
  user: KnownUser;
  method: LoginMethod;
  request: Request;
  address: string;
}

/** Every login ends here: with a password, a passkey, a recovery code or single sign-on. Returns the cookie. */
export type SignIn = (proof: Proof) => Promise<string>;

/** The path of the screen where a user can keep an account that is about to be deleted. */
export type LeavingLink = (deletion: { userId: number; dueAt: number }) => string;

/** Fails if the account is suspended, or about to be deleted, or if a password alone is not enough. */
export function assertCanLogIn({ user, method }: Pick<Proof, 'user' | 'method'>): void {
  assertNotSuspended(user);
  if (user.needs_second_factor === 1 && method === 'password') throw new SecondFactorError();
  // This check is last, because only a user who has proven everything else can keep the account.
  if (user.removal_due_at !== null) throw new RemovalPendingError(user.removal_due_at);
}

export function assertNotSuspended(user: KnownUser): void {
  if (user.suspended_at !== null) throw new SuspendedError(user.suspended_reason ?? '');
}

export function createSignIn({
  sessions,
  notices,
  leavingLink,
}: {
  sessions: Sessions;
  notices: SecurityNotices;
  leavingLink: LeavingLink;
}): SignIn {
  return async (proof) => {
    try {
      assertCanLogIn(proof);
    } catch (error) {
      if (!(error instanceof RemovalPendingError)) throw error;
      throw new RemovalPendingError(error.dueAt, leavingLink({ userId: proof.user.id, dueAt: error.dueAt }));
    }
    const { user, method, request, address } = proof;
    const origin = { userAgent: request.headers.get('user-agent') ?? '', address, method };
    return sessions.start(user, origin, async (tx) => {
      // Check again: comparing a password takes a while, and the account can have changed meanwhile.
      assertCanLogIn({ user: await assertPasswordStands(tx, user), method });
      await notices.noteLogin(tx, user, origin);
    });
  };
}

class SuspendedError extends AppError {
  constructor(reason: string) {
    super(
      'FORBIDDEN',
      reason
        ? 'This account is suspended. Ask an administrator of this server. Reason: {reason}'
        : 'This account is suspended. Ask an administrator of this server.',
      { reason },
    );
  }
}

/** The account is about to be deleted. `link` is the path of the screen where the user can keep it. */
class RemovalPendingError extends AppError {
  constructor(
    readonly dueAt: number,
    readonly link?: string,
  ) {
    const day = toTimestamp(dueAt).slice(0, 10);
    super(
      'FORBIDDEN',
      'This account will be deleted on {day}. To keep it, log in with a browser.',
      { day },
      { body: link === undefined ? {} : { link } },
    );
  }
}

/** The password was right, and a passkey or a recovery code has to follow: the login screen asks for it. */
export class SecondFactorError extends AppError {
  constructor() {
    super(
      'FORBIDDEN',
      'This account also needs a passkey. Log in with a browser. On the command line, quire login opens one.',
    );
  }
}

/** The screen to keep an account that is about to be deleted; undefined for other errors. */
export function findRemovalLink(error: unknown): string | undefined {
  return error instanceof RemovalPendingError ? error.link : undefined;
}
