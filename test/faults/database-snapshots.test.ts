import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { DATABASE_PATHS, LAST_LINE } from '../../workers/protocol.ts';
import { rounds } from '../support/faults/rounds.ts';
import {
  assertIntact,
  assertSame,
  OWNER,
  type SnapshotBench,
  startSnapshots,
} from '../support/functions/snapshots.ts';

/** Copies and snapshots of databases that their hosts write meanwhile. */

let bench: SnapshotBench;
beforeAll(async () => {
  bench = await startSnapshots();
}, 120_000);
afterAll(() => bench?.stop());

/** An invariant that holds only between transactions: all accounts together always have the same sum. */
const ACCOUNTS = 200;
const TOTAL = ACCOUNTS * 1_000;

async function createBank(id: number): Promise<void> {
  await bench.run(id, 'CREATE TABLE accounts (id INTEGER PRIMARY KEY, amount INTEGER, note TEXT)');
  await bench.run(id, 'CREATE TABLE moves (id INTEGER PRIMARY KEY, text TEXT)');
  await bench.run(
    id,
    `INSERT INTO accounts (amount, note) WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${ACCOUNTS})
     SELECT 1000, hex(randomblob(500)) FROM n`,
  );
}

/** Moves money, each time in one transaction that writes many pages. */
async function move(id: number, round: number): Promise<void> {
  const [from, to] = [1 + ((round * 7) % ACCOUNTS), 1 + ((round * 13 + 5) % ACCOUNTS)];
  const body = [
    {
      sql: 'UPDATE accounts SET amount = amount - 10, note = hex(randomblob(400)) WHERE id = ?',
      params: [from],
    },
    { sql: 'INSERT INTO moves (text) VALUES (hex(randomblob(1500)))' },
    {
      sql: 'UPDATE accounts SET amount = amount + 10, note = hex(randomblob(600)) WHERE id = ?',
      params: [to],
    },
  ];
  const response = await bench.databases.fetch(OWNER, id, '/query', { body: JSON.stringify(body) });
  const answer = (await response.json()) as { success?: boolean; error?: string };
  if (answer.success === false) throw new Error(answer.error);
}

describe('beside a writer', () => {
  test('each copy and each snapshot is of one moment, and no writer fails', async () => {
    await createBank(1);
    let isOver = false;
    let moves = 0;
    const writing = (async () => {
      while (!isOver) await move(1, moves++);
    })();
    const times = rounds(12, 150);
    let lastCount = 0;
    for (let round = 0; round < times; round++) {
      const { id } = await bench.snapshots.take(OWNER, 1);
      for (const database of [await bench.open(id), await bench.copy(1)]) {
        assertIntact(database);
        const { sum, count } = database
          .query('SELECT (SELECT sum(amount) FROM accounts) AS sum, (SELECT count(*) FROM moves) AS count')
          .get() as { sum: number; count: number };
        expect(sum).toBe(TOTAL);
        expect(count).toBeGreaterThanOrEqual(lastCount);
        lastCount = count;
        database.close();
      }
    }
    isOver = true;
    await writing;
    expect(moves).toBeGreaterThan(times);
    const { id } = await bench.snapshots.take(OWNER, 1);
    const database = await bench.open(id);
    expect(database.query('SELECT count(*) AS count FROM moves').get()).toEqual({ count: moves });
    expect(await bench.run(1, 'SELECT count(*) FROM moves')).toEqual([[moves]]);
    assertSame(database, await bench.copy(1));
  }, 600_000);

  test('nothing is stored if nothing was written', async () => {
    await bench.run(2, 'CREATE TABLE t (a)');
    const first = await bench.snapshots.take(OWNER, 2);
    expect(first.isNew).toBeTrue();
    const unchanged = { id: first.id, at: first.at, isNew: false, bytes: 0 };
    expect(await bench.snapshots.take(OWNER, 2)).toEqual(unchanged);
    await bench.run(2, 'INSERT INTO t VALUES (1)');
    expect((await bench.snapshots.take(OWNER, 2)).isNew).toBeTrue();
  }, 60_000);

  test('a database goes back, and its neighbours stay', async () => {
    await bench.run(3, 'CREATE TABLE t (a)');
    await bench.run(3, 'INSERT INTO t VALUES (1)');
    await bench.run(4, 'CREATE TABLE other (a)');
    const before = await bench.snapshots.take(OWNER, 3);
    await bench.run(3, 'INSERT INTO t VALUES (2)');
    const after = await bench.snapshots.take(OWNER, 3);
    await bench.snapshots.replace(OWNER, 3, before.id);
    expect(await bench.run(3, 'SELECT a FROM t')).toEqual([[1]]);
    await bench.run(4, 'INSERT INTO other VALUES (1)');
    await bench.run(3, 'INSERT INTO t VALUES (3)');
    await bench.snapshots.replace(OWNER, 3, after.id);
    expect(await bench.run(3, 'SELECT a FROM t')).toEqual([[1], [2]]);
    expect(await bench.run(4, 'SELECT a FROM other')).toEqual([[1]]);
  }, 60_000);
});

test('a host that was started for one thing finishes what somebody else sent meanwhile', async () => {
  const owner = OWNER + 1;
  const slow =
    'WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2e7) SELECT count(*) FROM n';
  const fenced = bench.databases.fence(owner, 20, 1);
  const response = await bench.databases.fetch(owner, 20, '/query', { body: JSON.stringify({ sql: slow }) });
  expect(await response.json()).toMatchObject({ success: true, results: { rows: [[2e7]] } });
  await fenced;
}, 60_000);

describe('a database of a cluster, which is replaced by statements,', () => {
  const SCHEMA = [
    'CREATE TABLE parents (id INTEGER PRIMARY KEY)',
    'CREATE TABLE children (parent INTEGER REFERENCES parents (id) ON DELETE RESTRICT)',
    'CREATE VIEW both AS SELECT * FROM parents JOIN children ON parent = id',
    'CREATE VIRTUAL TABLE words USING fts5 (word)',
    'INSERT INTO parents VALUES (1), (2)',
    'INSERT INTO children VALUES (1), (2)',
    "INSERT INTO words VALUES ('old')",
  ];
  const send = async (lines: string[]) => {
    const body = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
    const response = await bench.databases.fetch(OWNER, 5, DATABASE_PATHS.replaceLines, { body });
    return ((await response.json()) as { success: boolean }).success;
  };
  const rows = (sql: string) => bench.run(5, sql);

  test('has all of them, or is as it was', async () => {
    for (const statement of SCHEMA) await bench.run(5, statement);
    const fresh = [
      ...SCHEMA.slice(0, 4),
      'INSERT INTO parents VALUES (9)',
      "INSERT INTO words VALUES ('new')",
    ];
    // The sender was killed before the last line, or one of them fails.
    expect(await send(fresh)).toBeFalse();
    expect(await send([...fresh, 'INSERT INTO nowhere VALUES (1)', LAST_LINE])).toBeFalse();
    expect(await rows('SELECT id FROM parents')).toEqual([[1], [2]]);
    expect(await rows("SELECT word FROM words WHERE words MATCH 'old'")).toEqual([['old']]);
    expect(await send([...fresh, LAST_LINE])).toBeTrue();
    expect(await rows('SELECT id FROM parents')).toEqual([[9]]);
    expect(await rows('SELECT parent FROM children')).toEqual([]);
    expect(await rows('SELECT word FROM words')).toEqual([['new']]);
    expect(await send([LAST_LINE])).toBeTrue();
    expect(await rows("SELECT name FROM sqlite_master WHERE name NOT LIKE '\\_cf\\_%' ESCAPE '\\'")).toEqual(
      [],
    );
  }, 60_000);
});
