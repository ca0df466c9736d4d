import type { Call } from '../../cli/command.ts';
import { readConfig } from '../platform/config/index.ts';
import { lockDataFolder, MIGRATION_NAMES, startStorage } from '../platform/storage/index.ts';
import { assertDatabase } from './archive/data-locations.ts';

/** `quire migrate`: runs the missing migrations without starting a server, which would do the same. */
export async function migrate({ environment, out }: Call): Promise<void> {
  const { dataFolder, databaseUrl } = readConfig(environment);
  assertDatabase({ dataFolder, databaseUrl });
  process.umask(0o077);
  const lock = lockDataFolder(dataFolder);
  try {
    const storage = await startStorage({ dataFolder, databaseUrl, warn: out.note });
    await storage.stop();
  } finally {
    lock.release();
  }
  const last = MIGRATION_NAMES.at(-1);
  out.done({ last }, `The database has all migrations up to ${last}.`);
}
