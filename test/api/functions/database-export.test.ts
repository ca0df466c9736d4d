import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { type TestApp, type TestUser, testApp } from '../../support/app.ts';
import { deployDatabase, type FunctionDatabase } from '../../support/functions/database.ts';

let quire: TestApp;
let user: TestUser;
beforeAll(async () => {
  quire = await testApp({ QUIRE_FUNCTION_CALLS_PER_MINUTE: '0' });
  user = await quire.user();
});
afterAll(() => quire.stop());

let count = 0;
const fresh = () => deployDatabase(quire, user, `database-${++count}`);

/** Imports the export of a database into a new one, and returns that. */
async function makeCopy(source: FunctionDatabase): Promise<FunctionDatabase> {
  const copy = await fresh();
  await copyInto(copy, source);
  return copy;
}

async function copyInto(copy: FunctionDatabase, source: FunctionDatabase): Promise<void> {
  const exported = await source.export();
  expect(exported.status).toBe(200);
  const script = await exported.text();
  expect(await copy.import(script)).toMatchObject({ status: 200, body: { success: true } });
  expect(await (await copy.export()).text()).toBe(script);
}

async function empty({ rows }: FunctionDatabase): Promise<void> {
  const tables = await rows("SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE 't%'");
  for (const { name } of tables) await rows(`DROP TABLE "${String(name).replaceAll('"', '""')}"`);
}

/**
 * Everything in a database: its schema, and every value with its type. The tables of an index are left out.
 */
async function readContent({ rows }: FunctionDatabase) {
  const schema = await rows(
    "SELECT type, name, tbl_name, sql FROM sqlite_master WHERE name NOT LIKE '\\_cf\\_%' ESCAPE '\\' AND name NOT IN (SELECT name FROM pragma_table_list WHERE type = 'shadow') ORDER BY type, name",
  );
  const content: Record<string, unknown> = { schema };
  for (const { name } of schema.filter(({ type }) => type === 'table')) {
    const columns = await rows(`SELECT name FROM pragma_table_xinfo('${name}') WHERE hidden <> 1`);
    const values = columns.map(({ name: column }, i) => {
      const quoted = `"${String(column).replaceAll('"', '""')}"`;
      return `typeof(${quoted}) || ' ' || CASE WHEN typeof(${quoted}) IN ('text', 'blob') THEN hex(${quoted}) ELSE quote(${quoted}) END AS c${i}`;
    });
    content[String(name)] = await rows(`SELECT ${values.join(', ')} FROM "${name}" ORDER BY 1`);
  }
  return content;
}

const SCHEMA = [
  // The child comes first, and only an index makes the key of its parent unique.
  'CREATE TABLE child (id INTEGER PRIMARY KEY AUTOINCREMENT, parent TEXT REFERENCES parent (code), up REFERENCES child)',
  'CREATE TABLE parent (code TEXT NOT NULL, "odd ""name" BLOB)',
  'CREATE UNIQUE INDEX parent_code ON parent (code)',
  'CREATE TABLE pair (a, b, c AS (a || b) STORED, d AS (length(a)), PRIMARY KEY (a, b)) WITHOUT ROWID',
  "CREATE TABLE strict_one (i INTEGER, r REAL, t TEXT DEFAULT 'it''s; fine', b BLOB, a ANY) STRICT",
  'CREATE TABLE shadowed (rowid, v)',
  `CREATE TABLE wide (${Array.from({ length: 100 }, (_, i) => `c${i}`).join(', ')})`,
  'CREATE INDEX child_by_parent ON child (parent) WHERE parent IS NOT NULL',
  'CREATE VIEW parents AS SELECT code FROM parent',
  `CREATE TABLE audit (what)`,
  `CREATE TRIGGER noted AFTER INSERT ON parent BEGIN INSERT INTO audit VALUES ('a;b'); SELECT CASE WHEN 1 THEN 2 END; END`,
  `CREATE TRIGGER through INSTEAD OF INSERT ON parents BEGIN INSERT INTO parent (code) VALUES (new.code); END`,
  'CREATE VIRTUAL TABLE words USING fts5(body)',
];

describe('an export that is imported into an empty database', () => {
  test('makes an equal one: tables in any order, keys, views, triggers, counters, unusual values', async () => {
    const source = await fresh();
    for (const statement of SCHEMA)
      expect([statement, (await source.sql(statement)).status]).toEqual([statement, 200]);
    const rows = [
      `INSERT INTO parent VALUES ('p', x'00ff'), ('it''s', NULL), ('a' || char(0) || 'b', 'after NUL'), (CAST(x'ff41' AS TEXT), 1)`,
      `INSERT INTO child (id, parent, up) VALUES (1, 'p', 2), (2, NULL, 1), (50, 'it''s', NULL)`,
      'DELETE FROM child WHERE id = 50',
      `INSERT INTO pair (a, b) VALUES (1, 2), ('x', x'01'), (9223372036854775807, -9223372036854775808)`,
      `INSERT INTO strict_one VALUES (9007199254740993, 1.0, '', x'', 0.1), (NULL, 1e999, 'ž馬🐎', NULL, 5), (1, -1.5e-300, char(10), x'27', '5')`,
      'INSERT INTO shadowed (_rowid_, rowid, v) VALUES (7, 1, 2), (3, 4, 5)',
      `INSERT INTO wide (c0, c99) VALUES ('first', 'last')`,
      `INSERT INTO words (rowid, body) VALUES (12, 'quick brown'), (3, 'fox')`,
      'CREATE TABLE large (v)',
      `INSERT INTO large VALUES (randomblob(1500000)), (printf('%.*c', 1500000, '''')), (hex(randomblob(200000)))`,
    ];
    for (const row of rows) expect([row, (await source.sql(row)).status]).toEqual([row, 200]);

    const copy = await makeCopy(source);
    expect(await readContent(copy)).toEqual(await readContent(source));
    // The counter continues, row numbers are the same, and the trigger exists but has not run.
    const added = await copy.rows('INSERT INTO child (parent) VALUES (NULL) RETURNING id');
    expect(added).toEqual([{ id: 51 }]);
    expect(await copy.rows('SELECT _rowid_ AS n FROM shadowed ORDER BY 1')).toEqual([{ n: 3 }, { n: 7 }]);
    expect(await copy.rows("SELECT rowid FROM words WHERE words MATCH 'fox'")).toEqual([{ rowid: 3 }]);
    expect(await copy.rows('SELECT count(*) AS n FROM audit')).toEqual([{ n: 4 }]);
    expect((await copy.sql("INSERT INTO child (parent) VALUES ('nobody')")).body.error).toContain(
      'FOREIGN KEY',
    );
  });

  test('keeps any values', async () => {
    const text = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.string({
        unit: fc.constantFrom("'", '"', ';', '\0', '\n', '-', '/', '*', '?', 'x', '\\', '\ufeff'),
      }),
    );
    const value = fc.oneof(
      text,
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.maxSafeInteger(),
      fc.constant(null),
      fc.array(fc.nat(255), { maxLength: 20 }),
    );
    const table = fc.array(fc.tuple(value, value, value), { minLength: 1, maxLength: 30 });
    const [source, copy] = [await fresh(), await fresh()];
    await fc.assert(
      fc.asyncProperty(
        text.map((name) => name.replaceAll('\0', '') || 'x'),
        table,
        async (name, rows) => {
          for (const database of [source, copy]) await empty(database);
          const quoted = `"t${name.replaceAll('"', '""')}"`;
          const { status, body } = await source.sql(`CREATE TABLE ${quoted} (a, ${quoted} TEXT, c NUMERIC)`);
          expect([status, body.error]).toEqual([200, undefined]);
          for (const row of rows)
            expect((await source.sql(`INSERT INTO ${quoted} VALUES (?, ?, ?)`, row)).status).toBe(200);
          await copyInto(copy, source);
          const all = `SELECT typeof(a), hex(a), quote(a), typeof(${quoted}), hex(${quoted}), typeof(c), hex(c), quote(c) FROM ${quoted}`;
          expect(await copy.rows(all)).toEqual(await source.rows(all));
        },
      ),
      { numRuns: 15 },
    );
  });
});

describe('an export', () => {
  test('shows one moment, however many clients write while it is read', async () => {
    const source = await fresh();
    await source.sql('CREATE TABLE log (id INTEGER PRIMARY KEY, pad)');
    await source.sql('CREATE TABLE total (n)');
    await source.sql('INSERT INTO total VALUES (0)');
    await source.sql(
      'WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 2000) INSERT INTO log SELECT n, hex(zeroblob(500)) FROM c',
    );
    await source.sql('UPDATE total SET n = 2000');
    let isOver = false;
    let written = 0;
    const writing = (async () => {
      while (!isOver) {
        const batch = ['INSERT INTO log (pad) VALUES (1)', 'UPDATE total SET n = n + 1'];
        expect((await source.call({ batch })).status).toBe(200);
        written++;
      }
    })();
    for (let round = 0; round < 3; round++) {
      const before = written;
      const script = await (await source.export()).text();
      const rows = script.match(/^INSERT INTO "log"/gm)?.length ?? 0;
      const total = Number(/INSERT INTO "total" \(rowid, "n"\) VALUES \(1, (\d+)\)/.exec(script)?.[1]);
      expect(rows).toBe(total);
      expect(rows).toBeGreaterThanOrEqual(2000 + before);
    }
    isOver = true;
    await writing;
  });

  test('of a database without content is empty, and only one runs at a time', async () => {
    const source = await fresh();
    const first = await source.export();
    const second = await source.export();
    expect([first.status, second.status]).toEqual([200, 503]);
    expect(second.headers.get('retry-after')).toBe('5');
    expect(await first.text()).toBe('PRAGMA defer_foreign_keys = true;\n');
    const third = await source.export();
    expect(third.status).toBe(200);
    await third.body?.cancel();
    expect((await source.export()).status).toBe(200);
  });
});

describe('an import', () => {
  test('is all or nothing, also when rows have broken references', async () => {
    const target = await fresh();
    await target.sql('CREATE TABLE t (id INTEGER PRIMARY KEY, up REFERENCES t)');
    for (const script of [
      'INSERT INTO t VALUES (1, NULL); INSERT INTO nowhere VALUES (1);',
      'INSERT INTO t VALUES (1, 2);',
    ]) {
      expect(await target.import(script)).toMatchObject({ status: 400, body: { code: 'INVALID_SQL' } });
      expect(await target.rows('SELECT * FROM t')).toEqual([]);
    }
    expect((await target.import('INSERT INTO t VALUES (1, 2); INSERT INTO t VALUES (2, 1);')).status).toBe(
      200,
    );
  });

  test('must be SQL text in UTF-8', async () => {
    const target = await fresh();
    const send = async (type: string | undefined, body: string | Uint8Array<ArrayBuffer>) => {
      const response = await quire.request(`/api/functions/database-${count}/database/import`, {
        method: 'POST',
        headers: { authorization: `Bearer ${user.token}`, ...(type && { 'content-type': type }) },
        body: typeof body === 'string' ? new TextEncoder().encode(body) : body,
      });
      return response.status;
    };
    for (const type of ['application/sql', 'application/sql; charset=utf-8', 'text/plain'])
      expect([type, await send(type, 'CREATE TABLE IF NOT EXISTS t (a)')]).toEqual([type, 200]);
    for (const type of ['application/json', 'multipart/form-data', undefined])
      expect([type, await send(type, 'INSERT INTO t VALUES (1)')]).toEqual([type, 415]);
    expect(await send('application/sql', new Uint8Array([0x2d, 0x2d, 0xff]))).toBe(400);
    expect(await send('application/sql', 'INSERT INTO t VALUES (1)\0')).toBe(400);
    expect(await target.rows('SELECT * FROM t')).toEqual([]);
    const { body } = await quire.call('GET', '/api/openapi.json');
    const described = body.paths['/api/functions/{slug}/database/import'].post.requestBody;
    const text = { schema: { type: 'string' } };
    expect(described).toEqual({
      required: true,
      content: { 'application/sql': text, 'application/x-sql': text, 'text/plain': text },
    });
  });

  test("accepts a dump of SQLite's own shell, and many statements", async () => {
    const target = await fresh();
    const inserts = Array.from({ length: 20_000 }, (_, i) => `INSERT INTO t VALUES(${i},'row;${i}');`);
    const dump = `PRAGMA foreign_keys=OFF;\nBEGIN TRANSACTION;\nCREATE TABLE t(a,b);\n${inserts.join('\n')}\nCOMMIT;\n`;
    expect((await target.import(dump)).body).toMatchObject({
      success: true,
      message: 'The script ran: 20,000 rows changed.',
    });
    expect(await target.rows('SELECT count(*) AS n FROM t')).toEqual([{ n: 20_000 }]);
  });
});

test('an export that cannot begin is 503 with a sentence, and the next one works', async () => {
  const source = await deployDatabase(quire, await quire.user(), 'blocked-export');
  await source.rows('CREATE TABLE t (a)');
  // Copies go into this folder. A file in its place is as bad as a process that does not start.
  const folder = join(quire.dataFolder, 'databases', 'exports');
  rmSync(folder, { recursive: true, force: true });
  writeFileSync(folder, '');
  try {
    const refused = await source.export();
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5']);
    expect(await refused.json()).toMatchObject({
      code: 'UNAVAILABLE',
      error: 'The database could not be copied for the export. Nothing was changed. Try again in a moment.',
    });
  } finally {
    rmSync(folder);
  }
  expect((await source.export()).status).toBe(200);
});
