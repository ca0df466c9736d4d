import { randomBytes } from 'node:crypto';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { CommandError } from './usage.ts';

/**
 * Writes a file atomically. The temporary file has an unguessable name, so nobody can place a link there in advance. A
 * link at the final path is replaced, never followed.
 */
export async function writeWholeBy<T>(path: string, write: (file: FileHandle) => Promise<T>): Promise<T> {
  const unfinished = `${path}.${randomBytes(8).toString('hex')}.new`;
  const file = await open(unfinished, 'wx').catch((error: Error) => {
    throw new CommandError(`Cannot write ${path}: ${error.message}`);
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

/** Writes a text atomically. */
export function writeWhole(path: string, text: string, encoding?: 'utf8' | 'base64'): Promise<void> {
  return writeWholeBy(path, (file) => file.writeFile(text, encoding));
}
