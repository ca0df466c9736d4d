import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { copyFileOf, databaseFile, NAMESPACE } from './folder.ts';

/** Asks a database's host something. */
type Ask = (path: string, init?: RequestInit) => Promise<Response>;

const TRIES = 3;

/** Copies a database as it is at one moment, while functions go on: those who write wait until it is done. */
export async function copyDatabase(ask: Ask, from: string, to: string): Promise<void> {
  await mkdir(join(to, NAMESPACE), { recursive: true, mode: 0o700 });
  for (let tries = 1; tries <= TRIES; tries++) {
    const { file, token } = (await (await ask('/lock')).json()) as { file: string; token: string };
    let isWhole = false;
    try {
      for (const suffix of ['', '-wal'])
        await copyFileOf(databaseFile(from, file) + suffix, databaseFile(to, file) + suffix);
    } finally {
      const released = await ask('/unlock', { body: JSON.stringify({ token }) });
      ({ wasLocked: isWhole } = (await released.json()) as { wasLocked: boolean });
    }
    if (isWhole) return;
  }
  throw new Error('the database could not be held for long enough to copy it');
}
