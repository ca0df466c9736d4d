import { expect, test } from 'bun:test';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  dump,
  makeFolder,
  type Opened,
  open,
  restore,
  settle,
  write,
} from '../../../test/support/data/replica.ts';
import { segmentKey } from './format/names.ts';
import { seal } from './format/object.ts';
import { listGenerations, listSegments } from './history.ts';
import { checkReplica } from './restore/check.ts';
import { restoreReplica } from './restore/restore.ts';
import { ReplicaFiles } from './ship/files.ts';

/** Places that go away, and damage that a server meets while it runs. */

const YEAR = 365 * 24 * 3600 * 1000;

/** Turns a bit near the end of a file. */
function turnBit(path: string): void {
  const bytes = readFileSync(path);
  bytes.writeUInt8((bytes.at(-3) ?? 0) ^ 4, bytes.length - 3);
  writeFileSync(path, bytes);
}

async function newestSegment({ destination, place }: Opened): Promise<string> {
  const generation = (await listGenerations(destination)).at(-1);
  const last = generation && (await listSegments(destination, generation)).at(-1);
  return join(place, last?.key ?? '');
}

test('writes nothing below a disk that is not mounted, and goes on when it is back', async () => {
  const opened = open();
  const shipper = opened.start();
  await settle(shipper);
  // What an unmounted disk leaves: an empty folder.
  renameSync(opened.place, `${opened.place}-disk`);
  mkdirSync(opened.place);
  write(opened, 5);
  await expect(shipper.pass()).rejects.toThrow('mount that disk');
  // Nor does a server that starts then.
  await expect(opened.start().pass()).rejects.toThrow('nothing is left of it');
  expect(readdirSync(opened.place)).toEqual([]);
  rmSync(opened.place, { recursive: true });
  await expect(shipper.pass()).rejects.toThrow('mount that disk');
  expect(existsSync(opened.place)).toBe(false);

  renameSync(`${opened.place}-disk`, opened.place);
  await shipper.pass();
  write(opened, 5);
  await shipper.pass();
  expect(shipper.chain?.generation.number).toBe(1);
  expect((await restore(opened)).rows).toEqual(dump(opened.database));
});

test('makes a full copy when it starts and the last segment is damaged', async () => {
  const opened = open();
  await settle(opened.start());
  turnBit(await newestSegment(opened));
  const again = opened.start();
  await settle(again);
  expect(opened.warnings.join()).toContain('does not match its checksum');
  expect(again.chain?.generation.number).toBe(2);
  expect((await restore(opened)).rows).toEqual(dump(opened.database));
});

test('does not mix a full copy with what is left of one that was given up', async () => {
  const opened = open();
  const old = { name: '00000001-000001', number: 1 };
  await opened.destination.create('writers/none', Buffer.from(''));
  await opened.destination.put(segmentKey(old, 0, 1), seal({ kind: 'left over' }).bytes);
  rmSync(join(opened.place, 'writers/none'));
  await settle(opened.start());
  expect((await restore(opened)).rows).toEqual(dump(opened.database));
});

test('a clock that is years ahead when the server starts removes nothing, although the log was lost', async () => {
  const opened = open();
  await settle(opened.start());
  const newestAt = opened.clock.now;
  write(opened, 5);
  opened.log.letGo();
  opened.clock.now += YEAR;
  const again = opened.start();
  await settle(again);
  expect(again.cautiousNow).toBeLessThan(newestAt + 60_000);
});

test('a damaged writer does not stop its own server, nor a restore, and lets no other server in', async () => {
  const opened = open();
  const shipper = opened.start();
  await settle(shipper);
  write(opened, 5);
  turnBit(join(opened.place, 'writers/000001'));
  const other = open({ place: opened.place });
  await expect(other.start().pass()).rejects.toThrow('does not say which server it belongs to');
  const again = opened.start();
  await settle(again);
  expect(await restore(opened)).toMatchObject({ rows: dump(opened.database), missing: [] });
  turnBit(join(opened.place, 'writers/000002'));
  expect(await restore(opened)).toMatchObject({ rows: dump(opened.database), missing: ['writers/'] });
});

test('a server with another clock is watched before a restored folder takes its place', async () => {
  const opened = open();
  await settle(opened.start());
  const folder = makeFolder();
  await restoreReplica({
    ...{ destination: opened.destination, folder, time: undefined, databasesInner: 'inner' },
    readNeeds: () => ({ files: [], databases: [] }),
  });
  const other = open({ place: opened.place });
  writeFileSync(join(other.dataFolder, 'replica.json'), readFileSync(join(folder, 'replica.json')));
  other.clock.now += YEAR;
  const shipper = other.start();
  await expect(shipper.pass()).rejects.toThrow('still writes to the replica');
  other.elapsed.ms += 29_999;
  await expect(shipper.pass()).rejects.toThrow('still writes to the replica');
  // The first one runs after all.
  opened.clock.now += 10_000;
  await opened.start().pass();
  other.elapsed.ms += 1;
  await expect(shipper.pass()).rejects.toThrow('still writes to the replica');
  other.elapsed.ms += 30_000;
  await settle(shipper);
  expect((await restore(other)).rows).toEqual(dump(other.database));
});

test('a damaged key is said, and does not keep the rest from being restored', async () => {
  const opened = open();
  await settle(opened.start());
  await opened.destination.put('secret', seal({ kind: 'content', bytes: 3, pieces: [] }).bytes);
  turnBit(join(opened.place, 'secret'));
  expect(await restore(opened)).toMatchObject({ rows: dump(opened.database), missing: ['secret'] });
});

test('a file that cannot be read, and a damaged list, hold up no other file', async () => {
  const opened = open();
  await settle(opened.start());
  const folder = makeFolder();
  for (const name of ['a', 'b', 'c']) writeFileSync(join(folder, name), name);
  const files = new ReplicaFiles(opened.destination, folder);
  await files.compare(1);
  await files.ship(() => false);
  rmSync(join(folder, 'a'));
  await files.compare(2);
  turnBit(join(opened.place, 'deleted-files'));
  // A folder in the place of a file: reading it fails for everybody.
  mkdirSync(join(folder, 'd'));
  files.note('d');
  writeFileSync(join(folder, 'e'), 'e');
  await files.compare(3);
  await expect(files.ship(() => false)).rejects.toThrow();
  expect(files.waiting).toBe(1);
  expect((await opened.destination.list('files/')).sort()).toEqual(
    ['a', 'b', 'c', 'e'].map((n) => `files/${n}`),
  );
  expect((await checkReplica(opened.destination)).damage).toEqual([]);
});

test('a check reads everything, and names each damaged part', async () => {
  const opened = open();
  const shipper = opened.start();
  await settle(shipper);
  write(opened, 5);
  await shipper.pass();
  const found = await checkReplica(opened.destination);
  expect(found).toMatchObject({ generations: 1, damage: [] });
  turnBit(await newestSegment(opened));
  const { damage } = await checkReplica(opened.destination);
  expect(damage).toHaveLength(1);
  expect(damage.join()).toContain('/segments/00000001');
});
