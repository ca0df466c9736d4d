import type { Db } from '../../../platform/storage/index.ts';
import type { ProveItIsYou } from '../logins/reauthenticate.ts';
import type { SignIn } from '../logins/sign-in.ts';
import type { Passkeys } from './passkeys.ts';
import type { PendingLogins } from './pending-login.ts';
import type { SecondFactor } from './second-factor.ts';

/** The dependencies of the routes and screens of passkeys. */
export interface PasskeysContext {
  db: Db;
  proveItIsYou: ProveItIsYou;
  signIn: SignIn;
  passkeys: Passkeys;
  secondFactor: SecondFactor;
  pendingLogins: PendingLogins;
}
