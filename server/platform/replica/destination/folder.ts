import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { type FileHandle, link, mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { syncFolder } from '../../../lib/sync-folder.ts';
import { type Destination, WRITERS } from './destination.ts';

/** The name prefix of unfinished files, which no object has. */
const UNFINISHED = '.new-';

export function folderDestination(folder: string): Destination {
  /** Writes to a temporary file first: no reader ever sees a part of an object. */
  async function place(
    key: string,
    bytes: Uint8Array,
    give: (from: string, to: string) => Promise<void>,
    isFirst = false,
  ): Promise<void> {
    const path = join(folder, key);
    const temporary = join(dirname(path), UNFINISHED + randomUUID());
    const { file, made } = await openNew(folder, temporary, isFirst);
    try {
      try {
        await file.writeFile(bytes);
        await file.sync();
      } finally {
        await file.close();
      }
      await give(temporary, path);
    } finally {
      await rm(temporary, { force: true });
    }
    for (let at = dirname(path); ; at = dirname(at)) {
      await syncFolder(at);
      if (made === undefined || at === dirname(made)) return;
    }
  }

  return {
    name: folder,
    put: (key, bytes) => place(key, bytes, rename),
    async create(key, bytes) {
      try {
        await place(key, bytes, link, true);
        return true;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
        throw error;
      }
    },
    get: (key) => readFile(join(folder, key)).catch(undefinedIfMissing),
    async list(prefix) {
      const entries = await readdir(join(folder, prefix), { recursive: true, withFileTypes: true }).catch(
        undefinedIfMissing,
      );
      return (entries ?? [])
        .filter((entry) => entry.isFile() && !basename(entry.name).startsWith(UNFINISHED))
        .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
        .sort();
    },
    delete: (key) => rm(join(folder, key), { force: true }),
  };
}

/** Only the first object of a replica may find an empty folder. */
function assertThere(folder: string, isFirst: boolean): void {
  if (isFirst || existsSync(join(folder, WRITERS))) return;
  throw new Error('its folder is gone or empty. If it is on another disk, mount that disk');
}

/**
 * Opens a new file, and makes its folder if there is none. The disk can be unmounted at any time. Then the folders of the
 * replica are gone, and must not be made again on the disk below.
 */
async function openNew(
  folder: string,
  path: string,
  isFirst: boolean,
): Promise<{ file: FileHandle; made?: string }> {
  assertThere(folder, isFirst);
  const file = await open(path, 'wx', 0o600).catch(undefinedIfMissing);
  if (file) return { file };
  assertThere(folder, isFirst);
  const made = await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  return { file: await open(path, 'wx', 0o600), ...(made !== undefined && { made }) };
}

function undefinedIfMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
