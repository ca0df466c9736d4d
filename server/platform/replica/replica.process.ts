import { Database } from 'bun:sqlite';
import { join } from 'node:path';
import { openDestination } from './destination/open.ts';
import type { FromProcess, StartMessage, ToProcess } from './messages.ts';
import type { PackDatabase } from './ship/databases/port.ts';
import { ShipAll } from './ship/ship-all.ts';

/**
 * A program that ships the data of its server. It is a process, because closing a file of the database in the server's
 * own process would release the locks that SQLite has there. If the server is killed, it still ships what is left.
 */

const LOCK_EVERY_MS = 100;
/** How long to ship what is left. The server waits for less. */
const STOP_MS = 10_000;
const STOPPED = 'the server is stopping';

type Packed = Extract<ToProcess, { kind: 'packed' }>;
const packs = new Map<number, (reply: Packed) => void>();
let nextPack = 1;
let shipping: Promise<ShipAll> | undefined;
let isStopping = false;

const send = (message: FromProcess) => {
  // The server may be gone.
  if (process.connected) process.send?.(message);
};

process.on('message', (message: ToProcess) => {
  if (message.kind === 'start') shipping = start(message);
  else if (message.kind === 'file') void shipping?.then((all) => all.noteFile(message.key));
  else if (message.kind === 'packed') packs.get(message.id)?.(message);
  else if (message.kind === 'ship databases') void shipDatabases();
  else void stop();
});
process.on('disconnect', () => void stop());
// Signals to the whole group, such as Ctrl+C, are for the server, which then stops this process.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined);

async function start({ place, dataFolder, hasFiles, databasesInner }: StartMessage): Promise<ShipAll> {
  await lock(dataFolder);
  return new ShipAll({
    destination: openDestination(place),
    ...{ dataFolder, hasFiles, databasesInner, packDatabase },
    now: Date.now,
    onState: (state) => send({ kind: 'state', state }),
    warn: (sentence) => send({ kind: 'warning', sentence }),
  });
}

/** Waits until the process of a server that was killed has shipped what was left. */
async function lock(dataFolder: string): Promise<void> {
  const database = new Database(join(dataFolder, 'replica.lock'), { create: true });
  for (;;) {
    try {
      database.run('begin exclusive');
      return;
    } catch (error) {
      if ((error as { code?: string }).code !== 'SQLITE_BUSY') throw error;
      await Bun.sleep(LOCK_EVERY_MS);
    }
  }
}

const packDatabase: PackDatabase = (ownerId, file, order) =>
  new Promise((resolve, reject) => {
    if (!process.connected) return reject(new Error(STOPPED));
    const id = nextPack++;
    packs.set(id, ({ report, problem }) => {
      packs.delete(id);
      if (problem === undefined) resolve(report);
      else reject(new Error(problem));
    });
    send({ kind: 'pack', id, ownerId, file, order });
  });

async function shipDatabases(): Promise<void> {
  await (await shipping)?.shipDatabases();
  send({ kind: 'databases shipped' });
}

/** Ends without closing the database: closing would move the log into it, and the next process could not go on. */
async function stop(): Promise<void> {
  if (isStopping) return;
  isStopping = true;
  setTimeout(() => process.exit(1), STOP_MS).unref();
  for (const give of packs.values()) give({ kind: 'packed', id: 0, problem: STOPPED });
  try {
    await (await shipping)?.stop();
  } finally {
    process.exit(0);
  }
}
