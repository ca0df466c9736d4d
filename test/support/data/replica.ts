import { Database } from 'bun:sqlite';
import { afterEach, expect } from 'bun:test';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Destination } from '../../../server/platform/replica/destination/destination.ts';
import { folderDestination } from '../../../server/platform/replica/destination/folder.ts';
import { FollowedLog } from '../../../server/platform/replica/log/followed-log.ts';
import { restoreReplica } from '../../../server/platform/replica/restore/restore.ts';
import { Shipper } from '../../../server/platform/replica/ship/shipper.ts';

/** A replica of a small database, without a server. */

/** Everything is synced here very often, which takes long on a disk. */
const MEMORY = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();
const ends: Array<() => void> = [];
afterEach(() => {
  for (const end of ends.splice(0).reverse()) end();
});

export function makeFolder(): string {
  const folder = mkdtempSync(join(MEMORY, 'quire-replica-'));
  ends.push(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A database that is written like the server's, and what ships it. Time goes on only when a test says so. */
export function open(
  options: { place?: string; limits?: ConstructorParameters<typeof Shipper>[0]['limits'] } = {},
) {
  const dataFolder = makeFolder();
  const place = options.place ?? makeFolder();
  const path = join(dataFolder, 'quire.db');
  const database = new Database(path, { create: true });
  database.run('pragma journal_mode = wal');
  database.run('pragma wal_autocheckpoint = 0');
  database.run('pragma synchronous = off');
  database.run('create table if not exists notes (id integer primary key, text text)');
  const clock = { now: 1_700_000_000_000 };
  const folder = folderDestination(place);
  const broken = { reason: '' };
  const destination: Destination = {
    ...folder,
    async put(key, bytes) {
      if (broken.reason !== '') throw new Error(broken.reason);
      await folder.put(key, bytes);
    },
  };
  const log = new FollowedLog(path, () => clock.now);
  const warnings: string[] = [];
  const elapsed = { ms: 0 };
  const start = () =>
    new Shipper({
      ...{
        destination,
        log,
        dataFolder,
        now: () => clock.now,
        elapsed: () => elapsed.ms,
        ...(options.limits && { limits: options.limits }),
      },
      warn: (sentence) => warnings.push(sentence),
    });
  ends.push(() => {
    log.close();
    database.close();
  });
  return { database, log, clock, elapsed, destination, place, broken, warnings, start, dataFolder };
}

export type Opened = ReturnType<typeof open>;

export function write({ database }: Pick<Opened, 'database'>, count: number, text = 'x'): void {
  for (let at = 0; at < count; at++)
    database
      .prepare('insert into notes (text) values (?)')
      .run(`${text} ${at} ${randomBytes((at * 37) % 450).toString('hex')}`);
}

/** Passes until the full copy is done, and so everything is in the replica. */
export async function settle(shipper: Shipper): Promise<void> {
  do {
    await shipper.pass();
    await shipper.whenCopied();
  } while (!shipper.chain);
}

export async function restore({ destination }: Pick<Opened, 'destination'>, time?: number) {
  const folder = makeFolder();
  const restored = await restoreReplica({
    ...{ destination, folder, time, databasesInner: 'inner' },
    readNeeds: () => ({ files: [], databases: [] }),
  });
  const database = new Database(join(folder, 'quire.db'));
  const rows = dump(database);
  expect(database.prepare('pragma integrity_check').values()).toEqual([['ok']]);
  database.close();
  return { ...restored, rows };
}

export const dump = (database: Database) =>
  database.prepare('select id, text from notes order by id').values();
