import { existsSync } from 'node:fs';
import { setAdmin } from '../accounts/index.ts';
import { readConfig } from '../config.ts';
import { startStorage } from '../storage/index.ts';
import { CommandError, UsageError } from './usage.ts';

/** `quire user promote <username>`: makes somebody an administrator, also while the server runs. */
export async function user(environment: Record<string, string | undefined>, args: string[]): Promise<void> {
  const [verb, username] = args;
  if (verb !== 'promote' || !username) throw new UsageError('quire user promote <username>');
  const config = readConfig(environment);
  if (!config.databaseUrl && !existsSync(config.dataFolder)) {
    throw new CommandError(`There is no data at ${config.dataFolder}. Set QUIRE_DATA as for the server.`);
  }
  const storage = await startStorage(config);
  try {
    const isDone = await storage.db.transaction().execute((tx) => setAdmin(tx, username.toLowerCase()));
    if (!isDone) throw new CommandError(`There is no user ${username}.`);
    console.log(`${username} is an administrator now.`);
  } finally {
    await storage.stop();
  }
}
