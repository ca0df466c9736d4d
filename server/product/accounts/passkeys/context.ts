import type { AccountsContext } from '../context.ts';
import type { Passkeys } from './passkeys.ts';
import type { PendingLogins } from './pending-login.ts';
import type { SecondFactor } from './second-factor.ts';

/** What the routes and screens of passkeys need. */
export interface PasskeysContext extends Pick<AccountsContext, 'db' | 'proveItIsYou' | 'signIn'> {
  passkeys: Passkeys;
  secondFactor: SecondFactor;
  pendingLogins: PendingLogins;
}
