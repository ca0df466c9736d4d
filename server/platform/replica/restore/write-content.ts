import { mkdir, open, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Destination } from '../destination/destination.ts';
import { readContent } from '../format/content.ts';

/** Writes content of the replica to a file. Fails, and leaves no file, if it is missing or damaged. */
export async function writeContent(destination: Destination, key: string, path: string): Promise<true> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const file = await open(path, 'w', 0o600);
  try {
    for await (const piece of readContent(destination, key)) await file.writeFile(piece);
    await file.sync();
    return true;
  } catch (error) {
    // Half a file would look like a whole one.
    await rm(path, { force: true });
    throw error;
  } finally {
    await file.close();
  }
}
