import type { Db } from '../../../platform/storage/index.ts';
import type { ProveItIsYou } from '../logins/reauthenticate.ts';
import type { SignIn } from '../logins/sign-in.ts';
import type { Passkeys } from './passkeys.ts';
import type { PendingLogins } from './pending-login.ts';
import type { SecondFactor } from './second-factor.ts';

/** What the routes and screens of passkeys need. */
export interface PasskeysContext {
  db: Db;
  proveItIsYou: ProveItIsYou;
  signIn: SignIn;
  passkeys: Passkeys;
  secondFactor: SecondFactor;
  pendingLogins: PendingLogins;
}
