import type { Db } from '../../platform/storage/index.ts';
import type { CheckCredentials } from './attempts.ts';
import type { Passwords } from './passwords.ts';
import type { Register } from './register.ts';
import type { Sessions } from './sessions.ts';
import type { Tokens } from './tokens.ts';

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
  /** The balance of a user, in credits. */
  creditsOf(userId: number): Promise<number>;
}
