import { randomUUID } from 'node:crypto';
import { createReadStream, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { copyFile, mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { syncFolder } from '../../lib/sync-folder.ts';
import type { Blobs } from './blobs.ts';
import { assertKey } from './key.ts';

/** The name prefix of unfinished files, which no key can have. */
const UNFINISHED = '.new-';

export function diskBlobs(folder: string): Blobs {
  mkdirSync(folder, { recursive: true });
  // Remove what a crash left unfinished. Only this process uses the folder, so no write is in progress.
  for (const name of readdirSync(folder)) if (name.startsWith(UNFINISHED)) rmSync(join(folder, name));
  const toPath = (key: string) => {
    assertKey(key);
    return join(folder, key);
  };
  /** Writes to a temporary file, then gives it the name of the key: no reader ever sees a part of the bytes. */
  async function place(key: string, write: (temporary: string) => Promise<void>): Promise<void> {
    const path = toPath(key);
    const temporary = join(folder, UNFINISHED + randomUUID());
    const made = await mkdir(dirname(path), { recursive: true });
    try {
      await write(temporary);
      await rename(temporary, path);
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
    for (let at = dirname(path); ; at = dirname(at)) {
      await syncFolder(at);
      if (made === undefined || at === dirname(made)) return;
    }
  }
  return {
    put: (key, bytes) => place(key, (temporary) => writeDurably(temporary, bytes)),
    putFile: (key, from) =>
      place(key, async (temporary) => {
        await rename(from, temporary).catch(async (error: NodeJS.ErrnoException) => {
          // The file is on another file system.
          if (error.code !== 'EXDEV') throw error;
          await copyFile(from, temporary);
        });
        await syncFile(temporary);
      }),
    async get(key) {
      return readFile(toPath(key)).catch(undefinedIfMissing);
    },
    async open(key) {
      const path = toPath(key);
      const found = await stat(path).catch(undefinedIfMissing);
      return found && { size: found.size, bytes: readPieces(path) };
    },
    async slice(key, range) {
      const file = Bun.file(toPath(key));
      if (!(await file.exists())) return undefined;
      return range ? file.slice(range.start, range.end) : file;
    },
    async delete(key) {
      await rm(toPath(key), { force: true });
    },
  };
}

function undefinedIfMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}

/** Opens the file only when it is read, so that an unread stream leaves no file open. */
async function* readPieces(path: string): AsyncGenerator<Uint8Array> {
  yield* createReadStream(path);
}

async function writeDurably(path: string, bytes: Uint8Array): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function syncFile(path: string): Promise<void> {
  const file = await open(path, 'r+');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
