import { afterAll, beforeAll, expect, test } from 'bun:test';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync, readdirSync, readFileSync, readSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { NAMESPACE, UnreadableDatabaseError } from '../../server/runtime/databases/index.ts';
import { descendants } from '../support/faults/process.ts';
import { ROUNDS_MS, rounds } from '../support/faults/rounds.ts';
import {
  assertIntact,
  dump,
  OWNER,
  type SnapshotBench,
  startSnapshots,
} from '../support/functions/snapshots.ts';

/** Snapshots while disks lie and fill up, hosts die and owners have no quota left. */

let bench: SnapshotBench;
beforeAll(async () => {
  bench = await startSnapshots();
}, 120_000);
afterAll(() => bench?.stop());

const hostFolder = () => join(bench.dataFolder, 'databases', String(OWNER), NAMESPACE);
const count = async (id: number) => (await bench.run(id, 'SELECT count(*) FROM t'))[0];

async function fill(id: number, rows: number): Promise<void> {
  await bench.run(id, 'CREATE TABLE IF NOT EXISTS t (id INTEGER PRIMARY KEY, a TEXT)');
  await bench.run(
    id,
    `INSERT INTO t (a) WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${rows}) SELECT hex(randomblob(500)) FROM n`,
  );
}

/** Turns one bit of a file. */
function turnBit(path: string, at: number): void {
  const file = openSync(path, 'r+');
  const byte = Buffer.alloc(1);
  readSync(file, byte, 0, 1, at);
  byte[0] = (byte[0] ?? 0) ^ 8;
  writeSync(file, byte, 0, 1, at);
}

function listBlobs(): string[] {
  const folder = join(bench.dataFolder, 'blobs/database-snapshots');
  return readdirSync(folder).map((name) => join(folder, name));
}

test('a wrong bit in a segment is found, and neither rebuilt nor put in place', async () => {
  await fill(1, 50);
  const { id } = await bench.snapshots.take(OWNER, 1);
  const [blob = ''] = listBlobs();
  await fill(1, 50);
  const later = await bench.snapshots.take(OWNER, 1);
  turnBit(blob, Math.floor(statSync(blob).size / 2));
  // The later one builds on the damaged one.
  for (const damaged of [id, later.id]) {
    await expect(bench.open(damaged)).rejects.toBeInstanceOf(UnreadableDatabaseError);
    await expect(bench.snapshots.replace(OWNER, 1, damaged)).rejects.toBeInstanceOf(UnreadableDatabaseError);
  }
  expect(await count(1)).toEqual([100]);
  turnBit(blob, Math.floor(statSync(blob).size / 2));
  expect((await bench.open(later.id)).query('SELECT count(*) AS count FROM t').get()).toEqual({ count: 100 });
}, 120_000);

test('a wrong bit in a log is found, and nothing is stored', async () => {
  const before = readdirSync(hostFolder());
  await fill(2, 20);
  const [log = ''] = readdirSync(hostFolder()).filter(
    (name) => name.endsWith('-wal') && !before.includes(name),
  );
  turnBit(join(hostFolder(), log), 32 + 24 + 500);
  await expect(bench.snapshots.take(OWNER, 2)).rejects.toBeInstanceOf(UnreadableDatabaseError);
  await expect(bench.copy(2)).rejects.toBeInstanceOf(UnreadableDatabaseError);
  turnBit(join(hostFolder(), log), 32 + 24 + 500);
  expect((await bench.snapshots.take(OWNER, 2)).isNew).toBeTrue();
}, 120_000);

test(
  'a host that is killed again and again spoils no copy',
  async () => {
    await fill(3, 200);
    for (let round = 0; round < rounds(4, 60); round++) {
      let hasEnded = false;
      const taking = bench.snapshots.take(OWNER, 3).finally(() => {
        hasEnded = true;
      });
      taking.catch(() => undefined);
      // On a busy machine, a host that is killed without end would never start.
      for (let kills = 0; !hasEnded && kills < 40; kills++) {
        for (const pid of descendants(process.pid)) if (isHost(pid)) process.kill(pid, 'SIGKILL');
        await Bun.sleep(5 + 40 * Math.random());
      }
      // It may fail while there is no host, but never with a wrong result.
      const taken = await taking.catch(() => bench.snapshots.take(OWNER, 3));
      const database = await bench.open(taken.id);
      assertIntact(database);
      expect(database.query('SELECT count(*) AS count FROM t').get()).toEqual({ count: 200 + round });
      await bench.run(3, 'INSERT INTO t (a) VALUES (?)', ['x'.repeat(3_000)]);
    }
  },
  ROUNDS_MS,
);

function isHost(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('--directory-path=disk=');
  } catch {
    return false;
  }
}

test('an owner without quota has snapshots, and a database goes back', async () => {
  const poor = await startSnapshots({ limitBytes: 200_000 });
  try {
    await poor.run(1, 'CREATE TABLE t (a)');
    await poor.run(1, 'INSERT INTO t VALUES (hex(randomblob(60000)))');
    const { id } = await poor.snapshots.take(OWNER, 1);
    await poor.run(1, 'DELETE FROM t');
    await expect(poor.run(1, 'INSERT INTO t VALUES (zeroblob(300000))')).rejects.toThrow();
    await poor.snapshots.take(OWNER, 1);
    await poor.snapshots.replace(OWNER, 1, id);
    expect(await poor.run(1, 'SELECT length(a) FROM t')).toEqual([[120_000]]);
  } finally {
    await poor.stop();
  }
}, 120_000);

test('a full disk fails a snapshot and a return, and changes nothing', async () => {
  // Only root can mount a small disk here.
  if (process.getuid?.() !== 0) return;
  const mounted = 'mount -t tmpfs -o size=24m quire "$1" && exec "$2" "$3" "$1"';
  const script = join(import.meta.dir, '../support/functions/full-disk.process.ts');
  const child = spawn(
    'unshare',
    [
      '--mount',
      '--propagation',
      'private',
      '--',
      'sh',
      '-c',
      mounted,
      'quire',
      bench.dataFolder,
      process.execPath,
      script,
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk;
  });
  await once(child, 'close');
  expect(JSON.parse(output)).toEqual({
    taken: 'ENOSPC',
    replaced: 'ENOSPC',
    left: [],
    rows: [[40]],
    snapshots: 1,
    afterwards: { isNew: true, rows: [[40]] },
  });
}, 120_000);

test(
  'snapshots at random times, of which some are dropped, are what the database was',
  async () => {
    const random = (below: number) => Math.floor(Math.random() * below);
    const id = 9;
    const kept = new Map<number, string>();
    const create = async () => {
      await bench.run(id, 'CREATE TABLE IF NOT EXISTS t (id INTEGER PRIMARY KEY, a TEXT)');
      await bench.run(id, 'CREATE TABLE IF NOT EXISTS u (k TEXT PRIMARY KEY, v) WITHOUT ROWID');
    };
    await create();
    const statements: Array<() => Promise<unknown>> = [
      () => fill(id, 1 + random(60)),
      () => bench.run(id, `UPDATE t SET a = hex(randomblob(${random(3_000)})) WHERE id % 7 = ${random(7)}`),
      () => bench.run(id, `DELETE FROM t WHERE id % 5 = ${random(5)}`),
      () => bench.run(id, 'INSERT OR REPLACE INTO u VALUES (?, ?)', [`k${random(50)}`, random(1e6)]),
      () => bench.run(id, `CREATE INDEX IF NOT EXISTS i${random(3)} ON t (a)`),
      async () => {
        await bench.run(id, 'DROP TABLE t');
        await create();
      },
      // An undone statement leaves frames in the log that never count.
      () => bench.run(id, "INSERT INTO u SELECT 'same', 1 UNION ALL SELECT 'same', 2").catch(() => undefined),
    ];
    for (let round = 0; round < rounds(40, 2_000); round++) {
      await statements[random(statements.length)]?.();
      if (random(3) === 0) {
        const taken = await bench.snapshots.take(OWNER, id);
        const live = await bench.copy(id);
        kept.set(taken.id, dump(live));
        live.close();
      }
      if (random(6) === 0) {
        const dropped = [...kept.keys()].filter(() => random(3) === 0);
        await bench.snapshots.drop(dropped);
        for (const one of dropped) kept.delete(one);
      }
      const [one] = [...kept.keys()].sort(() => Math.random() - 0.5);
      if (random(12) === 0 && one !== undefined) {
        await bench.snapshots.replace(OWNER, id, one);
        const live = await bench.copy(id);
        expect(dump(live)).toBe(kept.get(one) ?? '');
        live.close();
      }
    }
    for (const [one, expected] of kept) {
      const database = await bench.open(one);
      assertIntact(database);
      expect(dump(database)).toBe(expected);
      database.close();
    }
    await bench.snapshots.forgetOwner(OWNER);
    expect(await bench.snapshots.bytes(OWNER)).toBe(0);
    await bench.kept.sweep();
    expect(listBlobs()).toEqual([]);
  },
  ROUNDS_MS,
);
