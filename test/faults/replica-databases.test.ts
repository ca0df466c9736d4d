import { afterAll, beforeAll, expect, test } from 'bun:test';
import { readdirSync, readFileSync, rmSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { checkReplica } from '../../server/platform/replica/restore/check.ts';
import type { ReplicaDatabases } from '../../server/platform/replica/ship/databases/databases.ts';
import { NAMESPACE, toFileName } from '../../server/runtime/databases/index.ts';
import { descendants, isRunning } from '../support/faults/process.ts';
import { fill, type ReplicatedBench, startReplicated } from '../support/functions/replicated.ts';
import { assertIntact, assertSame, OWNER } from '../support/functions/snapshots.ts';
import { waitUntil } from '../support/server.ts';

/** A replica of databases of functions: what is shipped when they change, and what is found or survived. */

const PAGE_BYTES = 4096;
const DAY = 24 * 3600 * 1000;
/** What would let shippers go on that were killed. Their open files must not be collected. */
const killed: Array<() => void> = [];

let bench: ReplicatedBench;
beforeAll(async () => {
  bench = await startReplicated();
}, 120_000);
afterAll(() => bench?.stop());

/** The restored database has everything that the live one has. */
async function expectSame(id: number): Promise<void> {
  const { database } = await bench.restore(id);
  if (!database) throw new Error('the database was not restored');
  assertIntact(database);
  const live = await bench.copy(id);
  assertSame(database, live);
  database.close();
  live.close();
}

const update = (id: number, row: number) =>
  bench.run(id, 'UPDATE t SET a = randomblob(1000) WHERE id = ?', [row]);

/** Writes so much that the log is moved into the file and started over. */
async function restartLog(id: number): Promise<void> {
  for (let piece = 0; piece < 3; piece++)
    await bench.run(id, 'UPDATE t SET a = randomblob(1000) WHERE id <= 5000');
}

test('ships the pages that 100 updates of a large database have changed, also if its log has started over', async () => {
  const rows = 20_000;
  await fill(bench, 1, rows);
  const databases = bench.start([1]);
  await databases.flush();
  const [base, ...others] = await bench.list(1);
  if (!base) throw new Error('nothing was shipped');
  expect(others).toEqual([]);
  for (let count = 0; count < 100; count++) await update(1, 1 + Math.floor(Math.random() * rows));
  await databases.flush();
  const changed = (await bench.list(1))[1];
  expect(changed).toMatchObject({ chain: 1, index: 1 });
  // A row is on one page, or its end is on another one. The first page has changed, too.
  const most = 201 * (PAGE_BYTES + 4) + 20_000;
  expect(changed && bench.size(changed)).toBeLessThan(most);
  await expectSame(1);

  await restartLog(1);
  await databases.flush();
  await bench.run(1, 'UPDATE t SET a = a WHERE id <= 5000');
  await bench.run(1, 'UPDATE t SET a = a WHERE id <= 5000');
  for (let count = 0; count < 100; count++) await update(1, 1 + Math.floor(Math.random() * rows));
  await databases.flush();
  const [scanned] = (await bench.list(1)).slice(-1);
  expect(scanned?.chain).toBe(1);
  expect(scanned && bench.size(scanned)).toBeLessThan(most);
  await expectSame(1);
}, 300_000);

/** Ends the process that has the databases open. Their logs stay, without an index that can be trusted. */
async function killHost(): Promise<void> {
  let pids: number[] = [];
  await waitUntil(async () => {
    // One that nobody uses may have just ended.
    await bench.run(3, 'SELECT 1');
    pids = descendants(process.pid).filter((pid) => readCommand(pid).includes('workerd'));
    return pids.length > 0;
  });
  for (const pid of pids) process.kill(pid, 'SIGKILL');
  await waitUntil(async () => !pids.some(isRunning));
}

function readCommand(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1');
  } catch {
    return '';
  }
}

/** Ships until nothing waits, also if a first attempt fails. */
async function ship(databases: ReplicaDatabases): Promise<void> {
  await databases.flush();
  await waitUntil(async () => {
    databases.goOn();
    await databases.pass();
    await databases.whenIdle();
    return databases.waiting === 0 && databases.problem === undefined;
  });
}

test('restores a database as it was at each segment, and ships nothing if nothing was written', async () => {
  await fill(bench, 2, 300);
  const databases = bench.start([2]);
  const states: Array<{ at: number; rows: unknown }> = [];
  const statements = [
    () => update(2, 7),
    () => fill(bench, 2, 200),
    () => bench.run(2, 'DELETE FROM t WHERE id % 3 = 0'),
    () => bench.run(2, 'CREATE INDEX i ON t (a)'),
    () => bench.run(2, 'DROP TABLE t'),
    () => fill(bench, 2, 100),
  ];
  for (const statement of statements) {
    await statement();
    await databases.flush();
    const at = (await bench.list(2)).at(-1)?.at ?? 0;
    states.push({ at, rows: await bench.run(2, 'SELECT id, hex(a) FROM t').catch(() => 'no table') });
    // The next one must not have the same time.
    while (Date.now() <= at + 1) await Bun.sleep(1);
  }
  const count = (await bench.list(2)).length;
  await databases.flush();
  expect((await bench.list(2)).length).toBe(count);
  for (const { at, rows } of states) {
    const { database, ...used } = await bench.restore(2, at + 1);
    expect(used).toEqual({ at, isOlder: false });
    if (!database) throw new Error('the database was not restored');
    assertIntact(database);
    const read = () => database.query('SELECT id, hex(a) FROM t').values();
    if (rows === 'no table') expect(read).toThrow('no such table');
    else expect(read()).toEqual(rows as never);
    database.close();
  }
  expect((await bench.restore(2, (states[0]?.at ?? 0) - 60_000)).at).toBeUndefined();
}, 120_000);

test('follows a database that was replaced, emptied, or whose host was killed', async () => {
  await fill(bench, 3, 200);
  const { id: first } = await bench.snapshots.take(OWNER, 3);
  const databases = bench.start([3]);
  await databases.flush();
  await fill(bench, 3, 900);
  await databases.flush();
  await bench.snapshots.replace(OWNER, 3, first);
  await ship(databases);
  await expectSame(3);
  await update(3, 5);
  await databases.flush();
  await expectSame(3);
  await fill(bench, 3, 50);
  await databases.flush();
  await killHost();
  await ship(databases);
  await expectSame(3);
  // After a power cut, the log has less than what was shipped.
  await update(3, 6);
  await update(3, 7);
  await databases.flush();
  await killHost();
  const log = join(bench.dataFolder, 'databases', String(OWNER), NAMESPACE, `${toFileName(3)}.sqlite-wal`);
  truncateSync(log, statSync(log).size - PAGE_BYTES / 2);
  await ship(databases);
  await expectSame(3);
  await bench.databases.replace(OWNER, 3, undefined);
  await ship(databases);
  expect(await bench.restore(3)).toMatchObject({ isOlder: false, database: undefined });
  await fill(bench, 3, 10);
  await ship(databases);
  await expectSame(3);
}, 120_000);

test('finds a turned bit and a missing segment, and restores what was before', async () => {
  await fill(bench, 4, 50);
  const databases = bench.start([4]);
  for (let row = 1; row <= 4; row++) {
    await update(4, row);
    await databases.flush();
  }
  const segments = await bench.list(4);
  const [base, first, second, third] = segments;
  if (!base || !first || !second || !third) throw new Error('too few segments');
  expect((await checkReplica(bench.destination)).damage).toEqual([]);
  bench.turnBit(second);
  expect(await bench.restore(4)).toMatchObject({ at: first.at, isOlder: true });
  expect((await checkReplica(bench.destination)).damage).toEqual([
    `${second.key} does not match its checksum`,
  ]);
  bench.turnBit(second);
  expect(await bench.restore(4)).toMatchObject({ at: third.at, isOlder: false });
  const bytes = await bench.destination.get(second.key);
  await bench.destination.delete(second.key);
  expect(await bench.restore(4)).toMatchObject({ at: first.at, isOlder: true });
  expect((await checkReplica(bench.destination)).damage.join()).toContain('is missing');
  await bench.destination.put(second.key, bytes ?? Buffer.from(''));
  bench.turnBit(base);
  expect((await bench.restore(4)).at).toBeUndefined();
  bench.turnBit(base);
  await expectSame(4);
}, 120_000);

test('goes on with a chain after a restart, and begins another one if it cannot be sure', async () => {
  await fill(bench, 5, 50);
  await ship(bench.start([5]));
  const again = async () => {
    await update(5, 1 + Math.floor(Math.random() * 50));
    await ship(bench.start([5]));
    await expectSame(5);
    const last = (await bench.list(5)).at(-1);
    if (!last) throw new Error('nothing was shipped');
    return last;
  };
  expect(await again()).toMatchObject({ chain: 1, index: 1 });
  // The newest segment is damaged, or another server has written one.
  bench.turnBit(await again());
  const second = await again();
  expect(second).toMatchObject({ chain: 2, index: 0 });
  const key = second.key.replace('00000000-', '00000001-');
  await bench.destination.put(key, Buffer.from('of another server'));
  const third = await again();
  expect(third).toMatchObject({ chain: 3, index: 0 });
  // The hashes are not whole, and then everything is gone.
  const hashes = readdirSync(bench.stateFolder).filter((name) => !name.endsWith('.json'));
  for (const name of hashes) truncateSync(join(bench.stateFolder, name), 8);
  const fourth = await again();
  expect(fourth.chain).toBe(third.chain + 1);
  rmSync(bench.stateFolder, { recursive: true });
  expect(await again()).toMatchObject({ chain: fourth.chain + 1, index: 0 });
}, 120_000);

test('survives a shipper that is killed at any step, and a response that is lost', async () => {
  // Other tests have damaged what they shipped.
  const damageBefore = (await checkReplica(bench.destination)).damage;
  await fill(bench, 6, 50);
  await bench.start([6]).flush();
  for (const step of ['beforePut', 'afterPut'] as const) {
    await update(6, 3);
    const { promise: reached, resolve } = Promise.withResolvers<void>();
    // A process that is killed goes on with nothing.
    bench.broken[step] = () =>
      new Promise<void>((goOn) => {
        killed.push(goOn);
        resolve();
      });
    void bench.start([6]).flush();
    await reached;
    bench.broken[step] = undefined;
    await update(6, 4);
    await bench.start([6]).flush();
    await expectSame(6);
  }
  expect(readdirSync(bench.stateFolder).filter((name) => name.startsWith('new-'))).toEqual([]);
  const databases = bench.start([6]);
  await databases.flush();
  for (const step of ['beforePut', 'afterPut'] as const) {
    await update(6, 5);
    bench.broken[step] = async () => {
      throw new Error('no response');
    };
    await databases.flush();
    expect(databases.problem?.message).toBe('no response');
    expect(databases.waiting).toBe(1);
    bench.broken[step] = undefined;
    await update(6, 6);
    await ship(databases);
    await expectSame(6);
  }
  expect((await checkReplica(bench.destination)).damage).toEqual(damageBefore);
}, 120_000);

test('keeps seven days, removes whole chains, and a deleted database a week later', async () => {
  await fill(bench, 7, 50);
  const databases = bench.start([7]);
  const write = async () => {
    await update(7, 9);
    await databases.flush();
  };
  await write();
  await write();
  bench.clock.aheadMs = DAY + 1000;
  await write();
  await write();
  const chains = async () => (await bench.list(7)).map(({ chain, index }) => `${chain}/${index}`);
  expect(await chains()).toEqual(['1/0', '1/1', '2/0', '2/1']);
  const tidy = (days: number) => databases.tidy(Date.now() + days * DAY, () => false);
  await tidy(7.5);
  expect(await chains()).toEqual(['1/0', '1/1', '2/0', '2/1']);
  await tidy(8.5);
  expect(await chains()).toEqual(['2/0', '2/1']);
  await expectSame(7);
  bench.clock.aheadMs = 0;
  await bench.databases.remove(OWNER, 7);
  bench.deleted.add(7);
  await databases.flush();
  await tidy(9);
  await tidy(15);
  expect(await chains()).toEqual(['2/0', '2/1']);
  // Nobody knows yet after a restart.
  const again = bench.start([7]);
  await again.tidy(Date.now() + 17 * DAY, () => false);
  expect(await chains()).toEqual(['2/0', '2/1']);
  await again.flush();
  await again.tidy(Date.now() + 17 * DAY, () => false);
  expect(await chains()).toEqual([]);
}, 120_000);
