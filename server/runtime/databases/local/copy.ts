import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { DATABASE_PATHS, type DatabaseLock } from '../../../../workers/protocol.ts';
import { copyHostFile, databaseFile, NAMESPACE } from '../folder.ts';
import { DatabaseUnavailableError, type Send } from '../placement.ts';

const TRIES = 3;

/** Copies the files of a database as it is at one moment. Functions keep running, but writers wait until it is done. */
export async function copyDatabase(send: Send, from: string, to: string): Promise<void> {
  await mkdir(join(to, NAMESPACE), { recursive: true, mode: 0o700 });
  for (let tries = 1; tries <= TRIES; tries++) {
    const locked = await send(DATABASE_PATHS.lock);
    // The database cannot be locked, for example because it has just been deleted.
    if (!locked.ok) throw cannotLock();
    const { file, token } = (await locked.json()) as DatabaseLock;
    let wasLocked = false;
    try {
      for (const suffix of ['', '-wal'])
        await copyHostFile(databaseFile(from, file) + suffix, databaseFile(to, file) + suffix);
    } finally {
      const response = await send(DATABASE_PATHS.unlock, { body: JSON.stringify({ token }) });
      ({ wasLocked } = (await response.json()) as { wasLocked: boolean });
    }
    if (wasLocked) return;
  }
  throw new Error('the database could not be locked long enough to copy it');
}

function cannotLock(): DatabaseUnavailableError {
  return new DatabaseUnavailableError(
    'The database cannot be copied now. Try again in a moment.',
    'UNAVAILABLE',
    {
      retryAfterSeconds: 1,
    },
  );
}
