import { createHash, createHmac } from 'node:crypto';
import { chmodSync, chownSync, lchownSync, lstatSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { BoxUser } from '../workerd/index.ts';
import { databaseName } from './address.ts';

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

/** The name that workerd gives the file of a Durable Object, which it makes from the object's own name. */
export function toFileName(databaseId: number): string {
  const key = createHash('sha256').update(NAMESPACE).digest();
  const sign = (value: string | Buffer) => createHmac('sha256', key).update(value).digest().subarray(0, 16);
  const id = sign(databaseName(databaseId));
  return Buffer.concat([id, sign(id)]).toString('hex');
}
