import { Database } from 'bun:sqlite';
import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { keyId, ServiceKey } from '../../lib/secrets.ts';

const KEY_FILE = 'secret';
/** Before the id of a key that was replaced. Replicas know this name, too. */
const REPLACED = 'replaced-secret-';

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

/** The key in a data folder; undefined if there is none. */
export function readKeyFile(folder: string): Buffer | undefined {
  const path = join(folder, KEY_FILE);
  return existsSync(path) ? Buffer.from(readFileSync(path, 'utf8').trim()) : undefined;
}

/** Renames a key that is not the one with this id, so that nothing reads it. Returns its new path. */
export function setKeyAside(folder: string, current: string): string | undefined {
  const key = readKeyFile(folder);
  if (key === undefined || keyId(key) === current) return undefined;
  const path = join(folder, `${REPLACED}${keyId(key)}`);
  renameSync(join(folder, KEY_FILE), path);
  const now = new Date();
  utimesSync(path, now, now);
  return path;
}

function readSecret(folder: string, given: string | undefined): Buffer {
  if (given) return Buffer.from(given);
  const path = join(folder, KEY_FILE);
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
