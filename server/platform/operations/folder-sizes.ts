import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** With more files than this, or after this time, the rest is not counted. */
const MAX_FILES = 200_000;
const MAX_MS = 10_000;
/** Files that are looked at together. */
const AT_ONCE = 64;

/** What is in a folder: the bytes below each name in it. */
export interface FolderSizes {
  bytes: Map<string, number>;
  /** False if not everything was counted. */
  isComplete: boolean;
}

/** Adds up the sizes of all files below a folder, without following links. */
export async function folderSizes(
  folder: string,
  { maxFiles, maxMs } = { maxFiles: MAX_FILES, maxMs: MAX_MS },
): Promise<FolderSizes> {
  const bytes = new Map<string, number>();
  const deadline = performance.now() + maxMs;
  let files = 0;
  const isOver = () => files > maxFiles || performance.now() > deadline;

  async function add(top: string, path: string): Promise<string[]> {
    // Files can be created and deleted in the meantime.
    const found = await lstat(path).catch(() => undefined);
    if (found?.isDirectory()) return (await readdir(path).catch(() => [])).map((name) => join(path, name));
    bytes.set(top, (bytes.get(top) ?? 0) + (found?.isFile() ? found.size : 0));
    return [];
  }

  for (const top of await readdir(folder)) {
    const waiting = [join(folder, top)];
    while (waiting.length > 0 && !isOver()) {
      const next = waiting.splice(-AT_ONCE);
      files += next.length;
      for (const inside of await Promise.all(next.map((path) => add(top, path)))) waiting.push(...inside);
    }
  }
  return { bytes, isComplete: !isOver() };
}
