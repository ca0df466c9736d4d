import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseMergeError } from '../../server/runtime/databases/index.ts';
import { Random } from '../contract/fuzz/random.ts';
import { ROUNDS_MS, rounds } from '../support/faults/rounds.ts';
import { OWNER, type SnapshotBench, startSnapshots } from '../support/functions/snapshots.ts';

/** Databases that somebody has made to hurt whoever merges them. */

const SEED = Number(process.env.QUIRE_TEST_SEED ?? Math.floor(Math.random() * 1e9));
const [MAIN, BRANCH] = [1, 2];
const DEADLINE_MS = 8_000;
setDefaultTimeout(180_000);

let bench: SnapshotBench;
beforeAll(async () => {
  bench = await startSnapshots({ merging: { deadlineMs: DEADLINE_MS } });
}, 120_000);
afterAll(() => bench?.stop());

function make(statements: string[]): Database {
  const database = new Database(':memory:');
  for (const statement of statements) database.run(statement);
  return database;
}

async function fork(base: Database, branch: Database, main = base) {
  return {
    ownerId: OWNER,
    base: await bench.put(MAIN, base),
    branch: await bench.put(BRANCH, branch),
    main: await bench.put(MAIN, main),
  };
}

const order = (tables: string[]) => ({ databaseId: MAIN, tables, take: [], confirm: true, migrations: [] });

/** Nothing of what failed is left, and others are served. */
async function assertWell() {
  const left = readdirSync(join(bench.dataFolder, 'databases/snapshots'));
  expect(left.filter((name) => name.startsWith('new-'))).toEqual([]);
  const files = await fork(
    make(['CREATE TABLE fine (id INTEGER PRIMARY KEY)']),
    make(['CREATE TABLE fine (id INTEGER PRIMARY KEY)', 'INSERT INTO fine VALUES (1)']),
  );
  expect(await bench.merger.merge(files, order(['fine']))).toMatchObject({ isMerged: true, isSame: false });
}

const COUNT = 'WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)';

describe('work that never ends is ended at the deadline', () => {
  const slow = "length(replace(hex(zeroblob(10000000 + a)), '0', 'ab')) > 0";
  test.each([
    ['a check', `CREATE TABLE t (id INTEGER PRIMARY KEY, a, CHECK (${slow}))`],
    ['a computed column with an index', `CREATE TABLE t (id INTEGER PRIMARY KEY, a, b AS (${slow}) STORED)`],
    [
      'an index on an expression',
      `CREATE TABLE t (id INTEGER PRIMARY KEY, a); CREATE INDEX i ON t (a) WHERE ${slow}`,
    ],
  ])(
    '%s',
    async (_, sql) => {
      const [table = '', index] = sql.split(';');
      const rows = `INSERT INTO t (id, a) ${COUNT} SELECT i, i FROM n`;
      const plain = make(['CREATE TABLE t (id INTEGER PRIMARY KEY, a)', rows]);
      const slowed = make(index ? [table, index] : [table]);
      const started = performance.now();
      const error = await bench.merger
        .merge(await fork(plain, slowed), order([]))
        .catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(DatabaseMergeError);
      expect((error as Error).message).toContain('more than 8 seconds');
      expect(performance.now() - started).toBeLessThan(60_000);
      await assertWell();
    },
    120_000,
  );
});

test('triggers do not run, and views are not read', async () => {
  const table = [
    'CREATE TABLE t (id INTEGER PRIMARY KEY, a)',
    'CREATE TABLE victim (id INTEGER PRIMARY KEY)',
    'INSERT INTO victim VALUES (1)',
  ];
  const bombs = [
    ...Array.from(
      { length: 30 },
      (_, n) =>
        `CREATE VIEW v${n + 1} AS SELECT * FROM ${n === 0 ? 't' : `v${n} UNION ALL SELECT * FROM v${n}`}`,
    ),
    'CREATE VIEW forever AS WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n',
    ...['INSERT', 'UPDATE', 'DELETE'].map(
      (on) =>
        `CREATE TRIGGER on_${on} AFTER ${on} ON t BEGIN DELETE FROM victim; SELECT count(*) FROM forever; END`,
    ),
  ];
  const base = make([...table, ...bombs]);
  const branch = make([...table, `INSERT INTO t ${COUNT} SELECT i, i FROM n LIMIT 10`, ...bombs]);
  const merged = await bench.merger.merge(await fork(base, branch), order(['t']));
  if (!merged.isMerged) throw new Error('it was refused');
  const found = await bench.open(merged.snapshot ?? 0);
  expect(
    found.query('SELECT (SELECT count(*) FROM t) AS t, (SELECT count(*) FROM victim) AS victim').get(),
  ).toEqual({ t: 10, victim: 1 });
});

test('a table that replaces other rows by itself does not', async () => {
  const table = 'CREATE TABLE t (id INTEGER PRIMARY KEY, a UNIQUE ON CONFLICT REPLACE)';
  const files = await fork(
    make([table]),
    make([table, 'INSERT INTO t VALUES (1, 5)']),
    make([table, 'INSERT INTO t VALUES (2, 5)']),
  );
  expect(await bench.merger.merge(files, order(['t']))).toMatchObject({
    isMerged: false,
    violations: [{ values: { table: 't' } }],
  });
});

test('names and schemas of all kinds are only names', async () => {
  const names = [
    'quire_merge_1',
    'delta_0',
    'work',
    'main',
    'temp',
    'base',
    `a"'; DROP TABLE x; --`,
    'a/b%20?#',
    '𝓍',
    'rowid',
    'select',
  ];
  const tables = names.map(
    (name) =>
      `CREATE TABLE "${name.replaceAll('"', '""')}" ("${name.replaceAll('"', '""')}" INTEGER PRIMARY KEY, "a,b(" TEXT /* ) */ DEFAULT ')', -- (\n CHECK ("a,b(" <> ','))`,
  );
  const fill = names.map((name) => `INSERT INTO "${name.replaceAll('"', '""')}" VALUES (1, 'x')`);
  const more = names.map(
    (name) =>
      `ALTER TABLE "${name.replaceAll('"', '""')}" ADD COLUMN "c ${name.replaceAll('"', '""')}" DEFAULT 7`,
  );
  const other = names.map((name) => `ALTER TABLE "${name.replaceAll('"', '""')}" ADD COLUMN other`);
  const merged = await bench.merger.merge(
    await fork(make(tables), make([...tables, ...fill, ...more]), make([...tables, ...other])),
    order(names),
  );
  if (!merged.isMerged) throw new Error(JSON.stringify(merged));
  const found = await bench.open(merged.snapshot ?? 0);
  for (const name of names)
    expect(found.query(`SELECT * FROM "${name.replaceAll('"', '""')}"`).values()).toEqual([
      [1, 'x', null, 7],
    ]);
}, 120_000);

test('values that need more memory than there is end with a sentence', async () => {
  const table = 'CREATE TABLE t (id INTEGER PRIMARY KEY, a)';
  const big = make([
    table,
    // More than SQLite's whole heap in the box.
    'INSERT INTO t VALUES (1, zeroblob(450000000))',
  ]);
  const error = await bench.merger
    .merge(await fork(make([table]), big), order(['t']))
    .catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(DatabaseMergeError);
  await assertWell();
});

test('a hundred columns and a thousand tables are compared', async () => {
  const columns = Array.from({ length: 100 }, (_, n) => `c${n}`).join(', ');
  const tables = [
    `CREATE TABLE wide (id INTEGER PRIMARY KEY, ${columns})`,
    'INSERT INTO wide (id) VALUES (1)',
    ...Array.from({ length: 1000 }, (_, n) => `CREATE TABLE t${n} (id INTEGER PRIMARY KEY)`),
  ];
  const files = await fork(
    make(tables),
    make([...tables, 'UPDATE wide SET c99 = 1']),
    make([...tables, 'UPDATE wide SET c0 = 1']),
  );
  const compared = await bench.merger.compare(files);
  expect(compared.rows).toMatchObject([{ path: 'rows/wide/1', columns: [{ name: 'c99', branch: 1 }] }]);
  expect(await bench.merger.merge(files, order(['wide']))).toMatchObject({ isMerged: true });
}, 120_000);

test(
  'files with wrong bytes are refused or read, and nothing else happens',
  async () => {
    const random = new Random(SEED);
    let refused = 0;
    const table = [
      'CREATE TABLE t (id INTEGER PRIMARY KEY, a)',
      'CREATE INDEX i ON t (a)',
      `INSERT INTO t ${COUNT} SELECT i, hex(randomblob(20)) FROM n LIMIT 500`,
    ];
    const whole = make(table);
    for (let round = 0; round < rounds(6, 300); round++) {
      const bytes = Buffer.from(whole.serialize());
      for (let count = random.int(1, 60); count > 0; count--)
        bytes[random.int(100, bytes.length - 1)] = random.int(0, 255);
      const file = join(bench.dataFolder, `wrong-${round}.sqlite`);
      await Bun.write(file, bytes);
      const files = await fork(whole, whole);
      await bench.databases.replace(OWNER, BRANCH, file);
      const branch = (await bench.snapshots.take(OWNER, BRANCH)).id;
      for (const run of [
        () => bench.merger.compare({ ...files, branch }),
        () => bench.merger.merge({ ...files, branch }, order(['t'])),
      ])
        await run().catch((error: unknown) => {
          expect(error).toBeInstanceOf(DatabaseMergeError);
          refused++;
        });
    }
    expect(refused, `seed ${SEED}`).toBeGreaterThanOrEqual(0);
    await assertWell();
  },
  ROUNDS_MS,
);
