import { createWriteStream } from 'node:fs';
import { mkdir, readdir, rename, rm, statfs, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { diskBlobs } from '../blobs/index.ts';
import { NAMESPACE } from '../cells/index.ts';
import { syncFolder } from '../lib/sync-folder.ts';
import { lockDataFolder, startStorage, storageFailure } from '../storage/index.ts';
import { ArchiveError } from './archive-error.ts';
import { assertKnown, assertSecret } from './check.ts';
import { assertEmptyFolder, clearEmptyDatabase, unfinished } from './empty-place.ts';
import { fingerprint, type Manifest } from './manifest.ts';
import { type ArchiveContents, type ArchiveVisitor, readArchive } from './read.ts';
import { openRows, type RowsTarget } from './rows-target.ts';

/** Where an archive is put, as a server's settings say it. */
export interface RestorePlace {
  dataFolder: string;
  databaseUrl?: string | undefined;
  /** The operator's own key, where there is one. */
  secret?: string | undefined;
}

/**
 * Puts everything that is in an archive into an empty place. It becomes visible only when every checksum and count was
 * right; when anything fails, the place is left empty.
 */
export async function restoreArchive(
  stream: ReadableStream<Uint8Array>,
  place: RestorePlace,
  onEntry?: (entries: number) => void,
): Promise<ArchiveContents> {
  const { dataFolder, databaseUrl } = place;
  // 1. Nothing may be there, and nobody may come while we are at it.
  await assertEmptyFolder(dataFolder);
  const lock = lockDataFolder(dataFolder);
  try {
    if (databaseUrl) await clearEmptyDatabase(databaseUrl, dataFolder);
  } catch (error) {
    lock.release();
    await rm(join(dataFolder, 'lock'), { force: true });
    throw error;
  }
  try {
    await rm(unfinished(dataFolder), { recursive: true, force: true });
    await mkdir(unfinished(dataFolder), { recursive: true, mode: 0o700 });
    // 2. Everything, checked as it comes.
    const contents = await fill(stream, place, onEntry);
    // 3. It is whole: into its place. The database last, since a server that finds one takes the rest for whole.
    const names = await readdir(unfinished(dataFolder));
    const inOrder = [
      ...names.filter((name) => name !== 'quire.db'),
      ...names.filter((name) => name === 'quire.db'),
    ];
    for (const name of inOrder) await rename(unfinished(dataFolder, name), join(dataFolder, name));
    await rm(unfinished(dataFolder), { recursive: true });
    await syncFolder(dataFolder);
    return contents;
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
  onEntry?: (entries: number) => void,
): Promise<ArchiveContents> {
  const { dataFolder, databaseUrl } = place;
  const folder = unfinished(dataFolder);
  const blobs = diskBlobs(unfinished(dataFolder, 'blobs'));
  let rows: RowsTarget | undefined;
  let secret: Manifest['secret'] | undefined;
  const visitor: ArchiveVisitor = {
    async manifest(manifest) {
      assertKnown(manifest);
      assertSetting(manifest.secret, place.secret);
      secret = manifest.secret;
      const storage = await startStorage({ dataFolder: folder, databaseUrl, migrateTo: manifest.migration });
      rows = await openRows(storage);
    },
    async secret(key) {
      assertSecret(secret, key);
      await writeFile(unfinished(dataFolder, 'secret'), key, { mode: 0o600, flush: true });
    },
    rows: async (table, some) => rows?.insert(table, some),
    blob: (key, bytes) => blobs.put(key, bytes),
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
    await rows?.finish(contents.totals);
    return contents;
  } catch (error) {
    await rows?.undo();
    if (storageFailure(error) === 'disk full')
      throw new ArchiveError(`The disk of ${dataFolder} is full.`, { cause: error });
    throw error;
  }
}

/** What functions keep secret opens only with the key it was sealed with. */
function assertSetting({ kept, fingerprint: wanted }: Manifest['secret'], given: string | undefined): void {
  if (given === undefined ? kept === 'archive' : fingerprint(Buffer.from(given)) === wanted) return;
  throw new ArchiveError(
    kept === 'setting'
      ? 'The server of this archive had its key from QUIRE_SECRET, so the archive has none. Set QUIRE_SECRET to the same.'
      : 'QUIRE_SECRET is set here, to another key than that of the archive. Unset it: the archive brings its own.',
  );
}

async function assertRoom(folder: string, size: number): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  if (bavail * bsize > size) return;
  throw new ArchiveError(
    `There is no room for a database of ${size.toLocaleString('en')} bytes in ${folder}.`,
  );
}
