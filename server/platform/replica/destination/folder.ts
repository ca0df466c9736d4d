import { randomUUID } from 'node:crypto';
import { link, mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { syncFolder } from '../../../lib/sync-folder.ts';
import type { Destination } from './destination.ts';

/** The name prefix of unfinished files, which no object has. */
const UNFINISHED = '.new-';

export function folderDestination(folder: string): Destination {
  /** Writes to a temporary file first: no reader ever sees a part of an object. */
  async function place(
    key: string,
    bytes: Uint8Array,
    give: (from: string, to: string) => Promise<void>,
  ): Promise<void> {
    const path = join(folder, key);
    const temporary = join(dirname(path), UNFINISHED + randomUUID());
    const made = await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    try {
      const file = await open(temporary, 'wx', 0o600);
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
        await place(key, bytes, link);
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

function undefinedIfMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
