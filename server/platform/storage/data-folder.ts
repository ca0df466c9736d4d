import { Database } from 'bun:sqlite';
import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Thrown when another server holds the folder. */
export class FolderInUseError extends Error {}

/**
 * Creates the data folder and holds it for this process alone. SQLite's own file lock does the holding: the kernel
 * drops it when the process ends, however it ends, so there is no stale lock to clean up after a kill -9.
 */
export function lockDataFolder(folder: string): { release(): void } {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const lock = new Database(join(folder, 'lock'), { create: true });
  try {
    lock.run('begin exclusive');
  } catch (error) {
    lock.close();
    throw new FolderInUseError(
      `Another Quire is running on ${folder}. Stop it, or set QUIRE_DATA to another folder.`,
      {
        cause: error,
      },
    );
  }
  return { release: () => lock.close() };
}

/** The key that signs page sessions and tickets: given by the operator, or made once and kept in the data folder. */
export function readSecret(folder: string, given: string | undefined): Buffer {
  if (given) return Buffer.from(given);
  const path = join(folder, 'secret');
  if (!existsSync(path)) {
    writeFileSync(`${path}.new`, randomBytes(32).toString('base64url'), { mode: 0o600, flush: true });
    renameSync(`${path}.new`, path);
  }
  return Buffer.from(readFileSync(path, 'utf8').trim());
}

/** What this folder is known by among those of other nodes; made once. */
export function readNodeName(folder: string): string {
  const path = join(folder, 'node');
  if (!existsSync(path)) {
    writeFileSync(`${path}.new`, randomUUID(), { mode: 0o600, flush: true });
    renameSync(`${path}.new`, path);
  }
  return readFileSync(path, 'utf8').trim();
}
