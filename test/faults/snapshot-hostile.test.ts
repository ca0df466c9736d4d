import { afterAll, beforeAll, expect, test } from 'bun:test';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { NAMESPACE, toFileName } from '../../server/runtime/databases/folder.ts';
import { Random } from '../contract/fuzz/random.ts';
import { isSoak, ROUNDS_MS, rounds } from '../support/faults/rounds.ts';
import { OWNER, type SnapshotBench, startSnapshots } from '../support/functions/snapshots.ts';

/** Files of databases that somebody has made to break whoever reads them. */

const SEED = Number(process.env.QUIRE_TEST_SEED ?? Math.floor(Math.random() * 1e9));
const DATABASE = 1;

let bench: SnapshotBench;
beforeAll(async () => {
  bench = await startSnapshots();
}, 120_000);
afterAll(() => bench?.stop());

/** The numbers of a header that say how much there is to read. */
const SIZES = [0, 1, 3, 511, 513, 65_535, 0x7fffffff, 0xffffffff];

/** What is done to a file. Offsets are those of the formats: https://sqlite.org/fileformat2.html */
function spoil(bytes: Buffer, random: Random): Buffer {
  const spoiled = Buffer.from(bytes);
  const putNumber = (at: number) => {
    if (spoiled.length >= at + 4) spoiled.writeUInt32BE(random.pick(SIZES), at);
  };
  switch (random.int(0, 5)) {
    case 0: // The page size of the file, and that of a log.
      if (spoiled.length > 18) spoiled.writeUInt16BE(random.pick([0, 1, 3, 512, 513, 65_535]), 16);
      putNumber(8);
      break;
    case 1: // The number of pages, of free pages, and the first free one.
      for (const at of [28, 32, 36]) putNumber(at);
      break;
    case 2: // The page number of a frame, and the size after it.
      for (const at of [32, 36]) putNumber(at);
      break;
    case 3:
      return spoiled.subarray(0, random.int(0, spoiled.length));
    case 4:
      return Buffer.concat([spoiled, Buffer.alloc(random.int(1, 10_000), 0xa5)]);
    default:
      for (let count = random.int(1, 60); count > 0 && spoiled.length > 0; count--)
        spoiled[random.int(0, spoiled.length - 1)] = random.int(0, 255);
  }
  return spoiled;
}

test(
  'are read in the sandbox, and fail alone',
  async () => {
    const random = new Random(SEED);
    await bench.run(DATABASE, 'CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT)');
    await bench.run(DATABASE, "INSERT INTO t (a) VALUES (hex(randomblob(9000))), ('x')");
    await bench.run(2, 'CREATE TABLE neighbour (a)');
    const good = await bench.snapshots.take(OWNER, DATABASE);
    const folder = join(bench.dataFolder, 'databases', String(OWNER), NAMESPACE);
    const names = ['.sqlite', '.sqlite-wal'].map((suffix) => toFileName(DATABASE) + suffix);
    let [spoiled, refused] = [0, 0];
    for (let round = 0; round < rounds(8, 400); round++) {
      const place = random.pick(names);
      if (!existsSync(join(folder, place))) continue;
      const before = readFileSync(join(folder, place));
      writeFileSync(join(folder, place), spoil(before, random));
      spoiled++;
      await bench.snapshots.take(OWNER, DATABASE).catch(() => refused++);
      // The service, the other databases of the owner and what was kept before are as they were.
      await bench.snapshots.replace(OWNER, DATABASE, good.id);
      expect(await bench.run(DATABASE, 'SELECT count(*) FROM t')).toEqual([[2]]);
      expect(await bench.run(2, 'SELECT count(*) FROM neighbour')).toEqual([[0]]);
      await bench.run(DATABASE, "UPDATE t SET a = 'y' WHERE id = 2");
    }
    const left = readdirSync(join(bench.dataFolder, 'databases/snapshots'));
    expect(left.filter((name) => name.startsWith('new-'))).toEqual([]);
    expect(spoiled).toBeGreaterThan(0);
    if (isSoak) console.log(`seed ${SEED}: ${refused} of ${spoiled} refused`);
  },
  ROUNDS_MS,
);
