import { mkdir, open, readdir, rename, rm, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { syncFolder } from '../../../lib/sync-folder.ts';
import { readName } from './names.ts';
import { type BackupPlace, type BackupWriter, NoSpaceError } from './place.ts';

/** The prefix of a file that is being written. No backup has a name that begins with it. */
const UNFINISHED = '.unfinished-';
/** Free space that a backup leaves, or else stops: without space, everybody's writes fail. */
const LEAVE_BYTES = 256 * 1024 * 1024;
/** The free space is checked each time after this many bytes. */
const LOOK_EVERY_BYTES = 16 * 1024 * 1024;

/** Keeps backups as files in a folder of this machine. */
export function diskPlace(folder: string, leaveBytes = LEAVE_BYTES): BackupPlace {
  return {
    title: folder,
    isBucket: false,
    recover: async () => clean(folder),
    async list() {
      const names = await readdir(folder).catch(noneIfMissing);
      const sized = names
        .filter((name) => readName(name))
        .map(async (name) => ({ name, bytes: (await stat(join(folder, name)).catch(nothing))?.size }));
      return (await Promise.all(sized)).flatMap(({ name, bytes }) =>
        bytes === undefined ? [] : [{ name, bytes }],
      );
    },
    async create(name) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      return writeFile(folder, name, leaveBytes);
    },
    async open(name) {
      const file = Bun.file(join(folder, name));
      return (await file.exists()) ? { bytes: file.size, body: file } : undefined;
    },
    async remove(name) {
      const isThere = await stat(join(folder, name)).catch(nothing);
      await rm(join(folder, name), { force: true });
      return isThere !== undefined;
    },
    // `recover` removes remains of backups in a folder.
    removeRemains: async () => undefined,
  };
}

/** Removes the remains of a killed server. No other server uses the folder. */
async function clean(folder: string): Promise<void> {
  const names = await readdir(folder).catch(noneIfMissing);
  for (const name of names) if (name.startsWith(UNFINISHED)) await rm(join(folder, name), { force: true });
}

async function writeFile(folder: string, name: string, leaveBytes: number): Promise<BackupWriter> {
  const temporary = join(folder, UNFINISHED + name);
  await assertSpace(folder, leaveBytes);
  const handle = await open(temporary, 'wx', 0o600);
  let unseen = 0;
  return {
    async write(piece) {
      unseen += piece.length;
      if (unseen >= LOOK_EVERY_BYTES) {
        unseen = 0;
        await assertSpace(folder, leaveBytes);
      }
      for (let at = 0; at < piece.length; ) at += (await handle.write(piece, at)).bytesWritten;
    },
    async finish() {
      await handle.sync();
      await handle.close();
      await rename(temporary, join(folder, name));
      await syncFolder(folder);
    },
    async discard() {
      await handle.close().catch(() => undefined);
      await rm(temporary, { force: true });
    },
  };
}

async function assertSpace(folder: string, leaveBytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  if (bavail * bsize < leaveBytes) throw new NoSpaceError('the disk is nearly full');
}

function noneIfMissing(error: NodeJS.ErrnoException): string[] {
  if (error.code === 'ENOENT') return [];
  throw error;
}

function nothing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
