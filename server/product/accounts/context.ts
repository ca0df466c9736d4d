import type { Db } from '../../platform/storage/index.ts';
import type { CheckCredentials } from './attempts.ts';
import type { Passwords } from './passwords.ts';
import type { Register } from './register.ts';
import type { Sessions } from './sessions.ts';
import type { Tokens } from './tokens.ts';

/** What the routes and screens of this slice work with. */
export interface AccountsContext {
  db: Db;
  now: () => number;
  registration: 'open' | 'closed';
  passwords: Passwords;
  checkCredentials: CheckCredentials;
  register: Register;
  sessions: Sessions;
  tokens: Tokens;
  /** What a user has, in credits. */
  creditsOf(userId: number): Promise<number>;
}
