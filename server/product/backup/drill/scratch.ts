import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { FolderInUseError, lockDataFolder } from '../../../platform/storage/index.ts';
import { ArchiveError } from '../archive/archive-error.ts';

/** The folder in the data folder that drills restore into. A server ignores it. */
const NAME = '.drill';

/** Runs work with an empty folder, which is removed afterwards. One drill at a time uses the data folder. */
export async function inScratch<Result>(
  dataFolder: string,
  work: (folder: string) => Promise<Result>,
): Promise<Result> {
  const parent = join(dataFolder, NAME);
  const lock = lockScratch(parent);
  try {
    const folder = join(parent, 'data');
    // A drill that was killed leaves its folder.
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true, mode: 0o700 });
    return await work(folder);
  } finally {
    await rm(join(parent, 'data'), { recursive: true, force: true });
    lock.release();
    await rm(parent, { recursive: true, force: true });
  }
}

function lockScratch(folder: string): { release(): void } {
  try {
    return lockDataFolder(folder);
  } catch (error) {
    if (!(error instanceof FolderInUseError)) throw error;
    throw new ArchiveError('Another drill is running. Try again when it has ended.');
  }
}
