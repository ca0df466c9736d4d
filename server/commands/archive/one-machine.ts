import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment } from '../../../cli/environment.ts';
import { CommandError, EXIT } from '../../../cli/usage.ts';
import packageJson from '../../../package.json' with { type: 'json' };
import { diskBlobs } from '../../platform/blobs/index.ts';
import { startCells } from '../../platform/cells/index.ts';
import { type Config, readConfig } from '../../platform/config/index.ts';
import { createLog } from '../../platform/http/index.ts';
import {
  FolderInUseError,
  lockDataFolder,
  MIGRATION_NAMES,
  startStorage,
} from '../../platform/storage/index.ts';
import { createBackups } from '../../product/backup/index.ts';
import { imageKey } from '../../product/features/index.ts';
import { isSealedWith } from '../../product/functions/index.ts';
import { fileKey } from '../../product/teams/index.ts';
import type { Source } from './source.ts';

/** Settings that say where a cluster keeps things, and nothing of an installation on one machine. */
const OF_CLUSTERS = /^(S3_|QUIRE_CLUSTER_|REDIS_URL$|DATABASE_URL$)/;

/** An installation on one machine, as its folder and perhaps a PostgreSQL of its own say. */
export function readOldConfig(
  environment: Environment,
  folder: string,
  databaseUrl: string | undefined,
): Config {
  const others = Object.entries(environment).filter(([name]) => !OF_CLUSTERS.test(name));
  const config = readConfig({
    ...Object.fromEntries(others),
    QUIRE_DATA: folder,
    ...(databaseUrl && { DATABASE_URL: databaseUrl }),
  });
  if (!databaseUrl && !existsSync(join(folder, 'quire.db')))
    throw new CommandError(
      `There is no installation in ${folder}: it has no quire.db. If its data is in PostgreSQL, say where with --database-url.`,
      EXIT.notFound,
    );
  const kept = join(folder, 'secret');
  if (!existsSync(kept)) return config;
  if (readFileSync(kept, 'utf8').trim() !== config.secret) throw wrongKey(`what ${kept} says`);
  return config;
}

function wrongKey(right: string): CommandError {
  return new CommandError(
    `QUIRE_SECRET is another key than that of the old installation, and what functions keep secret opens with that alone. Set QUIRE_SECRET to ${right}, here and on every node.`,
  );
}

/** Everything the installation has, as an archive. It is only read: nothing that a server does from time to time is done. */
export async function openOneMachine(config: Config): Promise<Source> {
  const { dataFolder, databaseUrl } = config;
  const lock = holdFolder(dataFolder);
  const closing: Array<() => Promise<void> | void> = [lock.release];
  const close = async () => {
    for (const end of closing.reverse()) await end();
  };
  try {
    const storage = await startStorage({ dataFolder, databaseUrl, migrateTo: 'as they are' });
    closing.push(storage.stop);
    await assertUpToDate(storage);
    const key = Buffer.from(config.secret ?? '');
    if (!(await isSealedWith(storage.db, key))) throw wrongKey('the QUIRE_SECRET it was run with');
    const cells = await startCells({
      ...config,
      limits: config.cellLimits,
      cluster: undefined,
      onLine: () => undefined,
    });
    closing.push(cells.stop);
    cells.databases.limitBy(async () => Number.MAX_SAFE_INTEGER);
    const backups = createBackups({
      storage,
      log: createLog('silent'),
      now: Date.now,
      // Nobody sweeps: the folder is ours.
      kept: { open: diskBlobs(join(dataFolder, 'blobs')).open, hold: async () => async () => undefined },
      databases: cells.databases,
      blobKeys: { team_files: fileKey, images: imageKey },
      key,
      isKeyGiven: true,
      version: packageJson.version,
      baseUrl: config.baseUrl,
    });
    closing.push(backups.stop);
    return { stream: backups.start(), close };
  } catch (error) {
    await close();
    throw error;
  }
}

function holdFolder(folder: string): { release(): void } {
  try {
    return lockDataFolder(folder);
  } catch (error) {
    if (!(error instanceof FolderInUseError)) throw error;
    throw new CommandError(
      `A server runs on ${folder}. Stop it: what it goes on writing would be left behind.`,
      EXIT.conflict,
    );
  }
}

/** Tables are not brought up to date here, since then the old installation would not be as it was. */
async function assertUpToDate(storage: Awaited<ReturnType<typeof startStorage>>): Promise<void> {
  const snapshot = await storage.snapshot();
  await snapshot.end();
  if (snapshot.migration === MIGRATION_NAMES.at(-1)) return;
  throw new CommandError(
    `The old installation is of another version than this Quire ${packageJson.version}. Start it once with this version, stop it, and come again.`,
  );
}
