import { Database } from 'bun:sqlite';
import { join } from 'node:path';

const OLD_MS = 11 * 60_000;

/** Makes the logins that a user has on a running server too old to prove that the user is there. */
export function ageLogins({ dataFolder }: { dataFolder: string }, { id }: { id: number }): void {
  using database = new Database(join(dataFolder, 'quire.db'));
  database.run('PRAGMA busy_timeout = 10000');
  database.run('UPDATE login_sessions SET created_at = created_at - ? WHERE user_id = ?', [OLD_MS, id]);
}
