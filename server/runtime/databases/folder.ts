import { chmodSync, chownSync, lchownSync, lstatSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { constants, copyFile, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { BoxUser } from '../workerd/index.ts';

/** Where workerd keeps the databases of a host, inside its folder. */
export const NAMESPACE = 'quire-database';

/**
 * Prepares a folder of databases for its host, which must not be running. Files that others left (a restore, a
 * server of an earlier version) become the host's own. The folder itself stays the server's, so that a host cannot
 * replace what is in it.
 */
export function prepareFolder(folder: string, user: BoxUser | undefined): void {
  const inner = join(folder, NAMESPACE);
  mkdirSync(inner, { recursive: true, mode: 0o700 });
  if (user) {
    chownSync(folder, process.getuid?.() ?? 0, user.id);
    chmodSync(folder, 0o750);
    giveTo(inner, user);
  }
  for (const name of readdirSync(inner)) {
    const path = join(inner, name);
    // A host that was taken over could have left links to other files, which the server would follow.
    if (!lstatSync(path).isFile()) rmSync(path, { recursive: true, force: true });
    else if (user) giveTo(path, user);
  }
}

function giveTo(path: string, user: BoxUser): void {
  const { uid, gid } = lstatSync(path);
  if (uid !== user.id || gid !== user.id) lchownSync(path, user.id, user.id);
}

/** The file of a database, by the name that its host reports. */
export function databaseFile(folder: string, name: string): string {
  if (!/^[0-9a-f]{64}$/.test(name))
    throw new Error('a database host reported a name that is not one of its files');
  return join(folder, NAMESPACE, `${name}.sqlite`);
}

/** Copies a file of a running host, if it exists. It never follows a link. */
export async function copyHostFile(from: string, to: string): Promise<void> {
  await rm(to, { force: true });
  try {
    const source = await open(from, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      if (!(await source.stat()).isFile()) throw new Error(`${from} is not a file`);
      await copyFile(`/proc/self/fd/${source.fd}`, to, constants.COPYFILE_FICLONE);
    } finally {
      await source.close();
    }
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'ENOENT') throw error;
  }
}
