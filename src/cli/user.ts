import { setAdmin } from '../accounts/index.ts';
import { readConfig } from '../config.ts';
import { startStorage } from '../storage/index.ts';
import { UsageError } from './usage.ts';

/** `quire user promote <username>`: makes somebody an administrator, also while the server runs. */
export async function user(environment: Record<string, string | undefined>, args: string[]): Promise<void> {
  const [verb, username] = args;
  if (verb !== 'promote' || !username) throw new UsageError('quire user promote <username>');
  const storage = await startStorage(readConfig(environment));
  try {
    if (!(await setAdmin(storage.db, username.toLowerCase())))
      throw new Error(`There is no user ${username}.`);
    console.log(`${username} is an administrator now.`);
  } finally {
    await storage.stop();
  }
}
