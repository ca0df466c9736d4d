import { randomBytes } from 'node:crypto';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { CommandError } from './usage.ts';

/**
 * Writes a file that is there only when it is whole. Until then it has a name that nobody can guess, so that no link
 * lies in wait there; a link in the file's own place is replaced, never followed.
 */
export async function writeWholeBy<T>(path: string, write: (file: FileHandle) => Promise<T>): Promise<T> {
  const unfinished = `${path}.${randomBytes(8).toString('hex')}.new`;
  const file = await open(unfinished, 'wx').catch((error: Error) => {
    throw new CommandError(`${path} cannot be written: ${error.message}`);
  });
  try {
    const written = await write(file);
    await file.close();
    await rename(unfinished, path);
    return written;
  } catch (error) {
    await file.close();
    await rm(unfinished, { force: true });
    throw error;
  }
}

/** Writes a text whole or not at all. */
export function writeWhole(path: string, text: string): Promise<void> {
  return writeWholeBy(path, (file) => file.writeFile(text));
}
