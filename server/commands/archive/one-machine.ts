import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment } from '../../../cli/environment.ts';
import { CommandError, EXIT } from '../../../cli/usage.ts';
import packageJson from '../../../package.json' with { type: 'json' };
import { BLOB_KEYS } from '../../blob-keys.ts';
import { keyId, ServiceKey } from '../../lib/secrets.ts';
import { diskBlobs } from '../../platform/blobs/index.ts';
import { type Config, readConfig } from '../../platform/config/index.ts';
import { createLog } from '../../platform/http/index.ts';
import { areKeysSealedWith, readKeyInUse } from '../../platform/service-settings/index.ts';
import {
  type Db,
  FolderInUseError,
  lockDataFolder,
  MIGRATION_NAMES,
  readKeyFile,
  startStorage,
} from '../../platform/storage/index.ts';
import { isDailySalt } from '../../product/analytics/index.ts';
import { createArchives } from '../../product/backup/index.ts';
import { isSealedWith } from '../../product/functions/index.ts';
import { startOnlyDatabases } from '../../runtime/databases/index.ts';
import { locateData } from './data-locations.ts';
import type { Source } from './source.ts';

/** Settings that belong to the cluster, not to the old installation. */
const OF_CLUSTERS = /^(S3_|QUIRE_CLUSTER_|REDIS_URL$|DATABASE_URL$)/;

/** The settings of a single-machine installation: its folder, and its PostgreSQL if it has one. */
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
      `${folder} is not a data folder: it has no quire.db. If the data is in PostgreSQL, add --database-url.`,
      EXIT.notFound,
    );
  return config;
}

/** Fails if a key is not the one that everything was encrypted with. */
async function assertKey(db: Db, folder: string, secret: Buffer): Promise<void> {
  const key = new ServiceKey(secret);
  const file = readKeyFile(folder);
  const inUse = await readKeyInUse(db);
  if (inUse?.isUnfinished)
    throw new CommandError(
      'The key of the old installation is being replaced, and some secrets still need the old one. Run "quire secrets rotate" there, and then this command again.',
      EXIT.conflict,
    );
  // A key in the folder may be one that was replaced. Which one is right, the database knows since its first start.
  const isRight = inUse
    ? inUse.id === key.newest.id
    : (file === undefined || file.equals(secret)) &&
      (await isSealedWith(db, key)) &&
      (await areKeysSealedWith(db, key));
  if (isRight) return;
  const isInFile = file !== undefined && (!inUse || keyId(file) === inUse.id);
  throw wrongKey(isInFile ? `the contents of ${join(folder, 'secret')}` : 'its own QUIRE_SECRET');
}

function wrongKey(right: string): CommandError {
  return new CommandError(
    `QUIRE_SECRET differs from the key of the old installation, which is needed to decrypt functions' secrets and providers' keys. Set QUIRE_SECRET to ${right}, here and on every node.`,
  );
}

/** Streams the whole installation as an archive. Only reads: no sweeps and no other background work. */
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
    const key = new ServiceKey(Buffer.from(config.secret ?? ''));
    await assertKey(storage.db, dataFolder, key.newest.bytes);
    const { databases, stop } = await startOnlyDatabases({
      ...config,
      cluster: undefined,
      onLine: () => undefined,
    });
    closing.push(stop);
    databases.useQuota({
      remaining: async () => Number.MAX_SAFE_INTEGER,
      grant: async (_ownerId, _databaseId, bytes) => bytes,
    });
    const archives = createArchives({
      storage,
      log: createLog('silent'),
      now: Date.now,
      // No server runs here, so nothing deletes blobs.
      kept: { open: diskBlobs(join(dataFolder, 'blobs')).open, lock: async () => async () => undefined },
      databases,
      blobKeys: BLOB_KEYS,
      isLeftOut: isDailySalt,
      key,
      isKeyGiven: true,
      version: packageJson.version,
      baseUrl: config.baseUrl,
      files: 'folder',
    });
    closing.push(archives.stop);
    return { stream: archives.start(), locations: locateData(config), close };
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
      `A server is running on ${folder}. Stop it first, because its new writes would not be moved.`,
      EXIT.conflict,
    );
  }
}

/** Does not migrate the tables, because the old installation must not change. */
async function assertUpToDate(storage: Awaited<ReturnType<typeof startStorage>>): Promise<void> {
  const snapshot = await storage.snapshot();
  await snapshot.end();
  if (snapshot.migration === MIGRATION_NAMES.at(-1)) return;
  throw new CommandError(
    `The old installation has a different version than this Quire ${packageJson.version}. Start it once with this version, stop it, and run the command again.`,
  );
}
