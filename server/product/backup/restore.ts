import { createWriteStream } from 'node:fs';
import { mkdir, readdir, rename, rm, statfs, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { syncFolder } from '../../lib/sync-folder.ts';
import type { S3Settings } from '../../platform/blobs/index.ts';
import {
  type Db,
  lockDataFolder,
  type PlainRow,
  startStorage,
  storageFailure,
} from '../../platform/storage/index.ts';
import { NAMESPACE } from '../../runtime/databases/index.ts';
import { ArchiveError } from './archive/archive-error.ts';
import { fingerprint, type Manifest } from './archive/manifest.ts';
import { openBlobs } from './blobs-target.ts';
import { assertKnown, assertSecret } from './check.ts';
import { type ClusterDatabases, type MovedDatabase, moveDatabases } from './cluster-databases.ts';
import { assertEmptyBucket, assertEmptyFolder, clearEmptyDatabase, unfinished } from './empty-place.ts';
import { type ArchiveContents, type ArchiveVisitor, readArchive } from './read.ts';
import { openRows, type RowsTarget } from './rows-target.ts';

/** The target of a restore, from a server's settings. */
export interface RestorePlace {
  dataFolder: string;
  databaseUrl?: string | undefined;
  /** The operator's own key, if there is one. */
  secret?: string | undefined;
  secretOld?: string | undefined;
  /** The bucket for blobs, if they are not in the folder. */
  s3?: S3Settings | undefined;
}

/** Starts hosts of the cluster that gets the databases. `db` has the tables, which say who owns each. */
export type JoinCluster = (db: Db) => Promise<ClusterDatabases>;

/** The result of a restore, for a comparison with the source. */
export interface Restored extends ArchiveContents {
  /** The checksum of each blob, by key. */
  blobs: Map<string, string>;
  /** Databases of functions that are in use, by the rows of their table. */
  databases: Array<{ ownerId: number; id: number }>;
  /** Databases that were copied into a cluster. */
  moved: MovedDatabase[];
}

/**
 * Restores an archive into an empty place. It becomes visible only if every checksum and count is right. If anything
 * fails, the place is left empty.
 */
export async function restoreArchive(
  stream: ReadableStream<Uint8Array>,
  place: RestorePlace,
  options: {
    onEntry?: (entries: number) => void;
    /** Can refuse the archive, by throwing, before anything is written. */
    onManifest?: (manifest: Manifest) => void;
    /** Joins the cluster that gets the databases. Without it, databases are files in the folder. */
    joinCluster?: JoinCluster | undefined;
    /** Aborts the restore, even after the archive has been read. */
    signal?: AbortSignal;
  } = {},
): Promise<Restored> {
  const { dataFolder, databaseUrl } = place;
  // 1. The place must be empty, and nothing else may use it meanwhile.
  await assertEmptyFolder(dataFolder);
  const lock = lockDataFolder(dataFolder);
  try {
    if (place.s3) await assertEmptyBucket(place.s3);
    if (databaseUrl) await clearEmptyDatabase(databaseUrl, dataFolder);
  } catch (error) {
    lock.release();
    await rm(join(dataFolder, 'lock'), { force: true });
    throw error;
  }
  try {
    await rm(unfinished(dataFolder), { recursive: true, force: true });
    await mkdir(unfinished(dataFolder), { recursive: true, mode: 0o700 });
    // 2. Fill the folder. Everything is checked while it is read.
    const restored = await fill(stream, place, options);
    // 3. Move the complete data into place. The database comes last, because a server that finds it expects
    // the rest.
    const names = await readdir(unfinished(dataFolder));
    const inOrder = [
      ...names.filter((name) => name !== 'quire.db'),
      ...names.filter((name) => name === 'quire.db'),
    ];
    for (const name of inOrder) await rename(unfinished(dataFolder, name), join(dataFolder, name));
    await rm(unfinished(dataFolder), { recursive: true });
    await syncFolder(dataFolder);
    return restored;
  } catch (error) {
    for (const name of await readdir(dataFolder))
      if (name !== 'lost+found') await rm(join(dataFolder, name), { recursive: true, force: true });
    throw error;
  } finally {
    lock.release();
  }
}

async function fill(
  stream: ReadableStream<Uint8Array>,
  place: RestorePlace,
  { onEntry, onManifest, joinCluster, signal }: NonNullable<Parameters<typeof restoreArchive>[2]>,
): Promise<Restored> {
  const { dataFolder, databaseUrl, s3 } = place;
  const folder = unfinished(dataFolder);
  const blobs = openBlobs({ folder: unfinished(dataFolder, 'blobs'), s3 });
  const databases: Array<{ ownerId: number; id: number }> = [];
  let rows: RowsTarget | undefined;
  let secret: Manifest['secret'] | undefined;
  const visitor: ArchiveVisitor = {
    async manifest(manifest) {
      assertKnown(manifest);
      onManifest?.(manifest);
      assertSetting(manifest.secret, [place.secret, place.secretOld]);
      secret = manifest.secret;
      const storage = await startStorage({ dataFolder: folder, databaseUrl, migrateTo: manifest.migration });
      rows = await openRows(storage);
    },
    async secret(key) {
      assertSecret(secret, key);
      await writeFile(unfinished(dataFolder, 'secret'), key, { mode: 0o600, flush: true });
    },
    async rows(table, some) {
      await rows?.insert(table, some);
      if (table === 'function_databases') databases.push(...databasesIn(some));
    },
    blob: blobs.put,
    async database(path, size, bytes) {
      const [ownerId = '', file = ''] = path.split('/');
      const to = unfinished(dataFolder, 'databases', ownerId, NAMESPACE, file);
      await assertRoom(folder, size);
      await mkdir(dirname(to), { recursive: true, mode: 0o700 });
      await pipeline(Readable.from(bytes), createWriteStream(to, { mode: 0o600, flush: true }));
    },
  };
  try {
    const contents = await readArchive(stream, visitor, onEntry);
    if (secret?.kept === 'archive' && !(await Bun.file(unfinished(dataFolder, 'secret')).exists()))
      throw new ArchiveError('The archive is damaged: its secret is missing.');
    const sums = await blobs.finish();
    await rows?.finish(contents.totals);
    const db = rows?.db;
    const moved =
      joinCluster && db ? await toCluster(dataFolder, databases, () => joinCluster(db), signal) : [];
    return { ...contents, blobs: sums, databases, moved };
  } catch (error) {
    await rows?.undo();
    await blobs.undo();
    if (storageFailure(error) === 'disk full')
      throw new ArchiveError(`The disk of ${dataFolder} is full.`, { cause: error });
    throw error;
  } finally {
    await rows?.stop();
  }
}

/** Databases that are in use, from the rows of their table. */
function databasesIn(rows: PlainRow[]): Array<{ ownerId: number; id: number }> {
  return rows
    .filter(({ deleted_at }) => deleted_at === null)
    .map((row) => ({ ownerId: Number(row.owner_id), id: Number(row.id) }));
}

/** Copies the databases to the cluster, and then removes their files. */
async function toCluster(
  dataFolder: string,
  databases: Array<{ ownerId: number; id: number }>,
  join: () => Promise<ClusterDatabases>,
  signal: AbortSignal | undefined,
): Promise<MovedDatabase[]> {
  const cluster = await join();
  try {
    const moved = await moveDatabases(unfinished(dataFolder, 'databases'), databases, cluster, signal);
    await rm(unfinished(dataFolder, 'databases'), { recursive: true, force: true });
    return moved;
  } finally {
    await cluster.stop();
  }
}

/** Fails if the key in the settings is not that of the archive, which the secrets of functions are sealed with. */
function assertSetting(
  { kept, fingerprint: wanted }: Manifest['secret'],
  settings: (string | undefined)[],
): void {
  const given = settings.filter((secret) => secret !== undefined);
  if (given.length === 0 && kept === 'archive') return;
  if (given.some((secret) => fingerprint(Buffer.from(secret)) === wanted)) return;
  throw new ArchiveError(
    kept === 'setting'
      ? 'The server of this archive had its key from QUIRE_SECRET, so the archive has none. Set QUIRE_SECRET to the same value.'
      : 'QUIRE_SECRET differs from the key in the archive. Unset it: the archive contains its own key.',
  );
}

async function assertRoom(folder: string, size: number): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  if (bavail * bsize > size) return;
  throw new ArchiveError(
    `The disk of ${folder} has no space for a database of ${size.toLocaleString('en')} bytes.`,
  );
}
