import { passkeyEndpoints } from '../../../../contract/accounts/passkey-endpoints.ts';
import { AppError } from '../../../lib/errors.ts';
import { handle, type Route } from '../../../platform/http/index.ts';
import { findUserById } from '../model/store.ts';
import type { PasskeysContext } from './context.ts';
import type { PendingLogin, PendingLogins } from './pending-login.ts';
import { secret, withCookies } from './routes.ts';

/** Logging in with a passkey: alone, or after a password that is not enough alone. */
export function passkeyLoginRoutes(context: PasskeysContext): Route[] {
  const { db, passkeys, pendingLogins, signIn } = context;
  return [
    handle(passkeyEndpoints.startPasskeyLogin, async ({ body, request }) => {
      const pending = body.secondFactor ? await requirePending(pendingLogins, request) : undefined;
      return withCookies(await passkeys.startLogin(request, pending?.user.id));
    }),
    handle(passkeyEndpoints.logInWithPasskey, async ({ body, address, request }) => {
      const pending = await pendingLogins.find(request);
      const from = { request, address };
      const { userId, purpose } = await passkeys.prove(body.credential, {
        ...from,
        userId: pending?.user.id,
      });
      const isSecond = pending !== undefined && purpose === 'second factor';
      if (isSecond) await assertFirst(pendingLogins, pending);
      const user = await findUserById(db, userId);
      if (!user) throw loginGone();
      const cookie = await signIn({ user, method: 'passkey', ...from });
      const logged = { success: true, message: `You are logged in as ${user.username}.` };
      return secret({ ...logged, next: isSecond ? pending.next : null }, [cookie, pendingLogins.clear()]);
    }),
  ];
}

/** Finds the login in this browser that waits for its second factor. */
async function requirePending(pendingLogins: PendingLogins, request: Request): Promise<PendingLogin> {
  const pending = await pendingLogins.find(request);
  if (!pending) throw loginGone();
  return pending;
}

export async function assertFirst(pendingLogins: PendingLogins, pending: PendingLogin): Promise<void> {
  if (!(await pendingLogins.finish(pending))) throw loginGone();
}

const loginGone = () =>
  new AppError('INVALID_CREDENTIALS', 'This login took too long or has ended. Log in again.');
