import { Database } from 'bun:sqlite';
import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ServiceKey } from '../../lib/secrets.ts';

/** Thrown if another server uses the folder. */
export class FolderInUseError extends Error {}

/**
 * Creates the data folder and locks it for this process. It uses SQLite's file lock: the kernel releases that when the
 * process ends in any way, so a kill -9 leaves no stale lock.
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

/** The key that signs page sessions and tickets: set by the operator, or generated once and kept in the data folder. */
export function readServiceKey(config: {
  dataFolder: string;
  secret: string | undefined;
  secretOld: string | undefined;
}): ServiceKey {
  const current = readSecret(config.dataFolder, config.secret);
  return new ServiceKey(current, config.secretOld === undefined ? undefined : Buffer.from(config.secretOld));
}

function readSecret(folder: string, given: string | undefined): Buffer {
  if (given) return Buffer.from(given);
  const path = join(folder, 'secret');
  if (!existsSync(path)) {
    writeFileSync(`${path}.new`, randomBytes(32).toString('base64url'), { mode: 0o600, flush: true });
    renameSync(`${path}.new`, path);
  }
  return Buffer.from(readFileSync(path, 'utf8').trim());
}

/** The name that identifies this folder among other nodes; generated once. */
export function readNodeName(folder: string): string {
  const path = join(folder, 'node');
  if (!existsSync(path)) {
    writeFileSync(`${path}.new`, randomUUID(), { mode: 0o600, flush: true });
    renameSync(`${path}.new`, path);
  }
  return readFileSync(path, 'utf8').trim();
}
