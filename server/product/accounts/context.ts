import type { Db, Tx } from '../../platform/storage/index.ts';
import type { CheckCredentials } from './attempts.ts';
import type { Passwords } from './passwords.ts';
import type { Register } from './register.ts';
import type { Sessions } from './sessions.ts';
import type { Tokens } from './tokens/tokens.ts';

/** Forgets all apps that a user has connected. Their tokens end with the user's other logins. */
export type DisconnectApps = (tx: Tx, userId: number) => Promise<void>;

/** What the routes and screens of this slice need. */
export interface AccountsContext {
  db: Db;
  now: () => number;
  registration: 'open' | 'closed';
  passwords: Passwords;
  checkCredentials: CheckCredentials;
  register: Register;
  sessions: Sessions;
  tokens: Tokens;
  disconnectApps: DisconnectApps;
  /** Called when logins of a user have ended. */
  loginsEnded(userId: number): void;
  /** The balance of a user, in credits. */
  creditsOf(userId: number): Promise<number>;
}
