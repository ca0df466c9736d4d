import { copyFileSync, existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { NAMESPACE } from '../server/runtime/databases/index.ts';
import { OWNER, startSnapshots } from '../test/support/functions/snapshots.ts';
import { DATABASE_PATHS, type DatabaseLock } from '../workers/protocol.ts';
import { atMost, type Figure, type Report } from './report/figure.ts';
import type { Bench } from './support/bench.ts';
import { needCommands } from './support/debian.ts';
import { percentile } from './support/table.ts';

/** Copies of a database of 100 MB beside a writer: what a copy under a lock costs, and what a snapshot does. */

const LOCKED = 'copy of the files under a lock, as before';
const COPY = 'Quire, copy beside writers';
const CONTINUED = 'Quire, snapshot with 100 changed rows';
const SCANNED = 'Quire, snapshot after the log has started over';
const WAYS = [LOCKED, COPY, CONTINUED, SCANNED] as const;
type Way = (typeof WAYS)[number];

const ROWS_PER_STATEMENT = 10_000;
const CHANGED_ROWS = 100;

export const figures: Figure[] = [
  {
    name: 'Bytes written, of a copy',
    digits: 3,
    rows: { [CONTINUED]: atMost(0.02), [SCANNED]: atMost(0.02) },
  },
  { name: 'Time in ms, p50', digits: 0, rows: Object.fromEntries(WAYS.map((way) => [way, undefined])) },
  {
    name: 'Longest write meanwhile in ms, p50',
    digits: 0,
    rows: Object.fromEntries(WAYS.map((way) => [way, undefined])),
  },
];

export default async function snapshots(bench: Bench): Promise<Report> {
  await needCommands({ bwrap: 'bubblewrap' });
  const quire = await startSnapshots({ dataFolder: join(bench.folder, 'data') });
  bench.atEnd(() => quire.halt());
  await quire.run(1, 'CREATE TABLE t (id INTEGER PRIMARY KEY, a BLOB)');
  for (let piece = 0; piece < bench.pick(10, 2); piece++)
    await quire.run(
      1,
      `INSERT INTO t (a) WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${ROWS_PER_STATEMENT})
       SELECT randomblob(500) || zeroblob(500) FROM n`,
    );
  const [[rows = 0] = []] = (await quire.run(1, 'SELECT count(*) FROM t')) as number[][];
  const size = await quire.databases.readSize(OWNER, 1);
  const change = () =>
    quire.run(1, 'UPDATE t SET a = randomblob(500) || zeroblob(500) WHERE id = ?', [
      1 + Math.floor(Math.random() * rows),
    ]);
  const restartLog = async () => {
    // More than the log takes before it is moved into the file.
    for (let piece = 0; piece < 2; piece++)
      await quire.run(
        1,
        'UPDATE t SET a = randomblob(500) || zeroblob(500) WHERE id BETWEEN ? AND ?',
        [1, 6_000],
      );
    await quire.snapshots.take(OWNER, 1);
    await quire.run(
      1,
      'UPDATE t SET a = randomblob(500) || zeroblob(500) WHERE id BETWEEN ? AND ?',
      [1, 6_000],
    );
  };
  const ways: Record<Way, () => Promise<unknown>> = {
    [LOCKED]: () => copyLocked(quire.dataFolder, (path, init) => quire.databases.fetch(OWNER, 1, path, init)),
    [COPY]: async () => (await quire.databases.copyOut(OWNER, 1)).end(),
    [CONTINUED]: () => quire.snapshots.take(OWNER, 1),
    [SCANNED]: () => quire.snapshots.take(OWNER, 1),
  };
  const measured = new Map(WAYS.map((way) => [way, { times: [], waits: [], bytes: [] } as Measured]));
  await quire.snapshots.take(OWNER, 1);
  for (let round = 0; round < bench.pick(7, 2); round++) {
    for (const [way, { times, waits, bytes }] of measured) {
      if (way === SCANNED) await restartLog();
      await quire.snapshots.take(OWNER, 1);
      for (let row = 0; row < CHANGED_ROWS; row++) await change();
      const before = await quire.snapshots.bytes(OWNER);
      const { timeMs, longestMs } = await besideWriter(ways[way], change);
      times.push(timeMs);
      waits.push(longestMs);
      bytes.push((await quire.snapshots.bytes(OWNER)) - before);
    }
  }
  const p50 = (of: keyof Measured, way: Way) => percentile(measured.get(way)?.[of] ?? [], 50);
  const each = (ways: readonly Way[], value: (way: Way) => number) =>
    Object.fromEntries(ways.map((way) => [way, value(way)]));
  return {
    note: `A database of ${Math.round(size / 1e6)} MB, half of which can be compressed; one writer.`,
    values: {
      'Bytes written, of a copy': each([CONTINUED, SCANNED], (way) => p50('bytes', way) / size),
      'Time in ms, p50': each(WAYS, (way) => p50('times', way)),
      'Longest write meanwhile in ms, p50': each(WAYS, (way) => p50('waits', way)),
    },
  };
}

/** What was measured in each round. */
interface Measured {
  times: number[];
  waits: number[];
  bytes: number[];
}

/** Does the work while somebody writes, and says how long it took, and the longest write. */
async function besideWriter(work: () => Promise<unknown>, write: () => Promise<unknown>) {
  let isOver = false;
  let longestMs = 0;
  const writing = (async () => {
    while (!isOver) longestMs = Math.max(longestMs, await measureMs(write));
  })();
  const timeMs = await measureMs(work);
  isOver = true;
  await writing;
  return { timeMs, longestMs };
}

async function measureMs(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

/** Locks writers out, copies the files, and lets writers go on. */
async function copyLocked(
  dataFolder: string,
  send: (path: string, init?: RequestInit) => Promise<Response>,
): Promise<void> {
  const { token } = (await (await send(DATABASE_PATHS.lock)).json()) as DatabaseLock;
  const folder = join(dataFolder, 'databases', String(OWNER), NAMESPACE);
  const copied: string[] = [];
  for (const file of readdirSync(folder).filter((name) => /\.sqlite(-wal)?$/.test(name))) {
    if (!existsSync(join(folder, file)) || !statSync(join(folder, file)).isFile()) continue;
    copied.push(join(dataFolder, file));
    copyFileSync(join(folder, file), join(dataFolder, file));
  }
  await send(DATABASE_PATHS.unlock, { body: JSON.stringify({ token }) });
  for (const file of copied) rmSync(file);
}
