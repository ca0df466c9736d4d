import { expect, test } from 'bun:test';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { dump, makeFolder, open, restore, settle, write } from '../../../test/support/data/replica.ts';
import { type CompleteGeneration, databaseSegmentKey, parseDatabaseSegment } from './format/names.ts';
import { findAt, listGenerations, listSegments, readSpan } from './history.ts';
import { ReplicaError, restoreReplica } from './restore/restore.ts';
import { ReplicaClock } from './ship/clock.ts';
import { chooseDatabaseSegments, chooseGenerations } from './ship/retention.ts';

const HOUR = 3600 * 1000;
const DAY = 24 * HOUR;

test('rebuilds the database as it is, and exactly as it was at every second', async () => {
  const opened = open({ limits: { logBytes: 256 * 1024, minChainBytes: 100 * 1024 } });
  const { database, clock } = opened;
  const shipper = opened.start();
  await settle(shipper);
  const states: Array<{ at: number; rows: unknown[] }> = [];
  const logs = new Set<string>();
  for (let second = 0; second < 40; second++) {
    clock.now += 1000;
    write(opened, 20 + ((second * 13) % 50), `second ${second}`);
    if (second % 5 === 2) database.run(`delete from notes where id % 3 = ${second % 3}`);
    if (second === 20) database.run('vacuum');
    await shipper.pass();
    await shipper.whenCopied();
    logs.add(opened.log.files.readIndex().salts);
    states.push({ at: clock.now, rows: dump(database) });
  }
  expect(logs.size).toBeGreaterThan(2);
  expect((await listGenerations(opened.destination)).length).toBeGreaterThan(1);
  expect((await restore(opened)).rows).toEqual(dump(database));
  for (const { at, rows } of [states[3], states[19], states[20], states[33]].flatMap((each) => each ?? [])) {
    const restored = await restore(opened, at + 500);
    expect(restored.at).toBe(at);
    expect(restored.rows).toEqual(rows as never);
  }
});

test('goes on after a restart, and makes a full copy if the log was started over in between', async () => {
  const opened = open();
  await settle(opened.start());
  write(opened, 10);
  const again = opened.start();
  await again.pass();
  expect(again.chain?.generation.number).toBe(1);
  expect((await restore(opened)).rows).toEqual(dump(opened.database));
  // Nobody follows: the log can be started over before it is read.
  write(opened, 10, 'unseen');
  opened.log.letGo();
  write(opened, 10, 'later');
  const third = opened.start();
  await settle(third);
  expect(third.chain?.generation.number).toBe(2);
  expect((await restore(opened)).rows).toEqual(dump(opened.database));
});

test('waits for a place that cannot be written, and gives a log up that becomes too long', async () => {
  const opened = open({ limits: { logBytes: 64 * 1024, maxLogBytes: 2 * 1024 ** 2 } });
  const { broken, log, warnings } = opened;
  const shipper = opened.start();
  await settle(shipper);
  broken.reason = 'no route to host';
  write(opened, 100);
  await expect(shipper.pass()).rejects.toThrow('no route to host');
  shipper.relieve();
  expect(warnings).toEqual([]);
  broken.reason = '';
  await shipper.pass();
  expect(shipper.chain?.generation.number).toBe(1);
  expect((await restore(opened)).rows).toEqual(dump(opened.database));

  broken.reason = 'no route to host';
  while (log.usedBytes < 2 * 1024 ** 2) write(opened, 50);
  await expect(shipper.pass()).rejects.toThrow('no route to host');
  shipper.relieve();
  expect(warnings.join()).toContain('new full copy');
  expect(log.files.logBytes).toBe(0);
  broken.reason = '';
  write(opened, 10, 'afterwards');
  await settle(shipper);
  expect(shipper.chain?.generation.number).toBe(2);
  expect((await restore(opened)).rows).toEqual(dump(opened.database));
});

test('finds every turned bit, never uses it, and says which time is the last good one', async () => {
  const opened = open();
  const { clock, destination, place } = opened;
  const shipper = opened.start();
  await settle(shipper);
  const times: number[] = [];
  for (let at = 0; at < 5; at++) {
    clock.now += 1000;
    times.push(clock.now);
    write(opened, 5);
    await shipper.pass();
  }
  const [generation] = (await listGenerations(destination)) as [CompleteGeneration];
  const segments = await listSegments(destination, generation);
  const third = join(place, segments[3]?.key ?? '');
  const whole = readFileSync(third);
  for (let bit = 0; bit < 8 * whole.length; bit += 997) {
    const turned = Buffer.from(whole);
    turned.writeUInt8((turned[bit >> 3] ?? 0) ^ (1 << (bit & 7)), bit >> 3);
    writeFileSync(third, turned);
    const failure = await restore(opened).catch((error: unknown) => error as Error);
    expect(failure).toBeInstanceOf(ReplicaError);
    expect((failure as Error).message).toContain(`--at ${new Date(times[1] ?? 0).toISOString()}`);
  }
  expect((await restore(opened, times[1])).at).toBe(times[1] ?? 0);
  rmSync(third);
  await expect(restore(opened)).rejects.toThrow('is missing');
  writeFileSync(third, whole);
  await restore(opened);
  const piece = join(place, 'generations', generation.name, 'pieces/00000000');
  writeFileSync(piece, readFileSync(piece).fill(1, 120, 121));
  await expect(restore(opened)).rejects.toThrow('There is no whole state before that');
});

test('finds a damaged frame in the log, says so, and copies everything again', async () => {
  const opened = open();
  const shipper = opened.start();
  await settle(shipper);
  write(opened, 50);
  const path = join(opened.dataFolder, 'quire.db-wal');
  const { frame, pageBytes } = opened.log.files.readIndex();
  const bytes = readFileSync(path);
  const at = 32 + (frame - 2) * (24 + pageBytes) + 1_000;
  const { openSync, writeSync } = await import('node:fs');
  writeSync(openSync(path, 'r+'), Buffer.from([(bytes[at] ?? 0) ^ 1]), 0, 1, at);
  await shipper.pass();
  expect(opened.warnings.join()).toContain('of the log is damaged');
});

test('refuses a replica of another server, and lets a restored folder go on with its own', async () => {
  const opened = open();
  const shipper = opened.start();
  await settle(shipper);
  const other = open({ place: opened.place });
  await expect(other.start().pass()).rejects.toThrow('belongs to the server on');
  expect((await restore(opened)).rows).toEqual(dump(opened.database));

  // Restored while the first one runs, and afterwards.
  const folder = makeFolder();
  await restoreReplica({
    ...{ destination: opened.destination, folder, time: undefined, databasesInner: 'inner' },
    readNeeds: () => ({ files: [], databases: [] }),
  });
  writeFileSync(join(other.dataFolder, 'replica.json'), readFileSync(join(folder, 'replica.json')));
  await expect(other.start().pass()).rejects.toThrow('still writes to the replica');
  await shipper.stop();
  write(other, 3, 'restored');
  await settle(other.start());
  expect((await restore(other)).rows).toEqual(dump(other.database));
  await expect(opened.start().pass()).rejects.toThrow('belongs to the server on');
});

test('no name in a replica leads out of the folder, and what is missing leaves no file', async () => {
  const opened = open();
  await settle(opened.start());
  const { destination } = opened;
  const restoreWith = (needs: { files: string[]; databases: Array<{ ownerId: number; file: string }> }) => {
    const folder = makeFolder();
    const rest = { time: undefined, databasesInner: 'inner', readNeeds: () => needs };
    return { folder, done: restoreReplica({ destination, folder, ...rest }) };
  };
  for (const key of ['../escaped', '/etc/escaped', 'a/../../escaped', 'a//b', ''])
    await expect(restoreWith({ files: [key], databases: [] }).done).rejects.toThrow('not written by Quire');
  const ownerId = '../../escaped' as unknown as number;
  const databases = [{ ownerId, file: 'f'.repeat(64) }];
  await expect(restoreWith({ files: [], databases }).done).rejects.toThrow('not written by Quire');
  const { folder, done } = restoreWith({ files: ['pages/gone'], databases: [] });
  expect((await done).missing).toEqual(['blobs/pages/gone']);
  expect(existsSync(join(folder, 'blobs/pages/gone'))).toBe(false);
});

test('two servers that start at once cannot both have a place', async () => {
  const place = makeFolder();
  const [one, two] = [open({ place }), open({ place })];
  const outcomes = await Promise.allSettled([one.start().pass(), two.start().pass()]);
  expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
});

test('a clock that jumps removes nothing and mixes up no order', async () => {
  const opened = open();
  const { clock, destination } = opened;
  const shipper = opened.start();
  await settle(shipper);
  const first = clock.now;
  const states: unknown[][] = [];
  for (const jump of [1000, 365 * DAY, -365 * DAY + 1000, -2 * HOUR, 1000]) {
    clock.now += jump;
    write(opened, 5);
    await settle(shipper);
    await shipper.pass();
    states.push(dump(opened.database));
  }
  expect((await restore(opened)).rows).toEqual(states[4] as never);
  expect((await restore(opened, first + 1500)).rows).toEqual(states[0] as never);
  expect((await restore(opened, clock.now)).rows).toEqual(states[4] as never);
  const elapsed = { ms: 0 };
  const replica = new ReplicaClock(
    1_000_000,
    () => 5 * DAY * 365,
    () => elapsed.ms,
  );
  elapsed.ms = 500;
  expect(replica.cautious()).toBe(1_000_500);
  expect([replica.stamp(1_000_900), replica.stamp(1_000_100), replica.stamp(100)]).toEqual([
    1_000_900, 1_000_900, 100,
  ]);
  expect(await readSpan(destination)).toMatchObject({ oldestAt: first });
});

test('keeps what a second of the last seven days needs, and no more', () => {
  const now = 100 * DAY;
  const at = (days: number): CompleteGeneration => ({
    ...{ key: '', name: String(days), number: 1, first: 0, at: now - days * DAY },
  });
  const names = (kept: CompleteGeneration[]) => kept.map(({ name }) => name);
  expect(names(chooseGenerations([at(9), at(8), at(7), at(6), at(0)], now))).toEqual(['9', '8']);
  expect(names(chooseGenerations([at(6), at(5)], now))).toEqual([]);
  expect(names(chooseGenerations([at(20)], now))).toEqual([]);
  const chain = (number: number, days: number[]) =>
    days.flatMap((ago, index) => {
      const name = { ownerId: 1, file: 'f'.repeat(64), chain: number, index, at: now - ago * DAY };
      return parseDatabaseSegment(databaseSegmentKey(name)) ?? [];
    });
  const segments = [...chain(1, [20, 19]), ...chain(2, [9, 8.9]), ...chain(3, [8, 6]), ...chain(4, [6, 0])];
  expect(segments).toHaveLength(8);
  const removed = (some: typeof segments) => chooseDatabaseSegments(some, now).map((each) => each.chain);
  expect(removed(segments)).toEqual([1, 1, 2, 2]);
  expect(removed(segments.slice(4))).toEqual([]);
  expect(removed(chain(1, [400, 300]))).toEqual([]);
  expect(findAt([{ at: 1 }, { at: 5 }, { at: 3 }, { at: 4 }], 3.5)).toEqual({ at: 3 });
  expect(findAt([{ at: 1 }, { at: 5 }, { at: 2 }], 4)).toEqual({ at: 2 });
});
