import type { Limit } from '../../platform/coordination/limits/index.ts';
import type { Mail } from '../../platform/mail/index.ts';
import type { Db, Tx } from '../../platform/storage/index.ts';
import type { CheckCredentials } from './attempts.ts';
import type { ForgottenPasswords } from './links/forgotten.ts';
import type { KnownDevices } from './logins/known-devices.ts';
import type { SecurityNotices } from './logins/notices.ts';
import type { Passwords } from './passwords.ts';
import type { ProveItIsYou } from './proof.ts';
import type { Admission } from './registration/admission.ts';
import type { Register } from './registration/register.ts';
import type { Sessions } from './sessions.ts';
import type { SignIn } from './sign-in.ts';
import type { Tokens } from './tokens/tokens.ts';

/** Forgets all apps that a user has connected. Their tokens end with the user's other logins. */
export type DisconnectApps = (tx: Tx, userId: number) => Promise<void>;

/** Changes what other slices store about a user by name. */
export type RenamePerson = (tx: Tx, from: string, to: string) => Promise<void>;

/** What the routes and screens of this slice need. */
export interface AccountsContext {
  db: Db;
  now: () => number;
  /** Decides who can create an account. */
  admission: Admission;
  passwords: Passwords;
  mail: Mail;
  notices: SecurityNotices;
  forgotten: ForgottenPasswords;
  /** How often a user can have a link sent that confirms an address. */
  mailLimit: Limit;
  renamePerson: RenamePerson;
  baseUrl: string;
  checkCredentials: CheckCredentials;
  proveItIsYou: ProveItIsYou;
  register: Register;
  /** Registers the first administrator, in any mode. */
  registerAnyway: Register;
  sessions: Sessions;
  devices: KnownDevices;
  signIn: SignIn;
  tokens: Tokens;
  disconnectApps: DisconnectApps;
  /** Called when logins of a user have ended. */
  loginsEnded(userId: number): void;
  /** The balance of a user, in credits. */
  creditsOf(userId: number): Promise<number>;
}
