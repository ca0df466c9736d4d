import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { isReading, onlyStatement, statements, withIntegers, withLongLiterals } from './sql-statements.ts';

test.each([
  ['SELECT 1', 'SELECT 1'],
  ['  SELECT 1 ; ', 'SELECT 1'],
  ['-- first\nSELECT 1; -- last', 'SELECT 1'],
  [';;SELECT 1;;', 'SELECT 1'],
  ['SELECT \'a;b\' /* ; */, "c;d", [e;f], `g;h`', 'SELECT \'a;b\' /* ; */, "c;d", [e;f], `g;h`'],
  ["SELECT :a, $b, @c(';)", "SELECT :a, $b, @c(';)"],
  ["SELECT 'it''s; fine'", "SELECT 'it''s; fine'"],
  ['CREATE TRIGGER t BEGIN SELECT 1; SELECT 2; END;', 'CREATE TRIGGER t BEGIN SELECT 1; SELECT 2; END'],
  [
    'create temp trigger t begin select case when 1 then 2 end; end',
    'create temp trigger t begin select case when 1 then 2 end; end',
  ],
  ["SELECT 'never closed; ", "SELECT 'never closed; "],
  ['', ''],
  [' -- nothing', ''],
])('%j contains the statement %j', (sql, statement) => {
  expect(onlyStatement(sql)).toBe(statement);
});

test.each([
  'SELECT 1; SELECT 2',
  "SELECT ''; DROP TABLE t",
  'SELECT 1;x',
  'CREATE TABLE begin_x (a); DROP TABLE t',
  'CREATE TRIGGER t BEGIN SELECT 1; END; DROP TABLE t',
  "SELECT '\\'; DROP TABLE t; --'",
  '/* */ SELECT 1; /* ; */ SELECT 2',
  "SELECT $a('); DROP TABLE t; --')",
  "SELECT @a::b('); DROP TABLE t; --')",
])('%j has a second statement', (sql) => {
  expect(onlyStatement(sql)).toBeUndefined();
});

test('parsing takes time in proportion to the length of the text', () => {
  expect(onlyStatement(`SELECT ${"'".repeat(99_999)}`)).toBeDefined();
  expect(onlyStatement('/* '.repeat(100_000))).toBe('');
});

test.each([
  ['SELECT ?, ?', ['a', 1], 'SELECT ?1, (?2 | 0)'],
  ['SELECT ?2, ?1', [1, 'b'], 'SELECT ?2, (?1 | 0)'],
  ['SELECT \'?\', "?", ? -- ?', [5], 'SELECT \'?\', "?", (?1 | 0) -- ?'],
  ['SELECT ?', ['text'], 'SELECT ?'],
  ['SELECT ?', [1.5], 'SELECT ?'],
  ['SELECT ?3, ?', [1, 2, 3, 4], 'SELECT (?3 | 0), (?4 | 0)'],
])('%j with %j becomes %j', (sql, params, expected) => {
  expect(withIntegers(sql, params)).toBe(expected);
});

test('splits a script into its statements, with anything between and within them', () => {
  const script = `-- a script
    CREATE TABLE t (a, -- ; not the end
      b TEXT DEFAULT ';');;
    CREATE TRIGGER r AFTER INSERT ON t BEGIN SELECT CASE WHEN 1 THEN 2 END; SELECT 2; END;
    INSERT INTO t VALUES ('a''b;', "c;")`;
  expect([...statements(script)].map((statement) => statement.slice(0, 14))).toEqual([
    'CREATE TABLE t',
    'CREATE TRIGGER',
    'INSERT INTO t ',
  ]);
});

test('long literals become parameters; short ones and names stay', () => {
  const text = "it''s ".repeat(100);
  const statement = `INSERT INTO "t" VALUES ('${text}', x'${'0aFF'.repeat(100)}', 'short', x'00')`;
  const { sql, params } = withLongLiterals(statement);
  expect(sql).toBe(`INSERT INTO "t" VALUES (?1, ?2, 'short', x'00')`);
  expect(params[0]).toBe("it's ".repeat(100));
  expect(params[1]).toEqual(new Uint8Array(Array(100).fill([0x0a, 0xff]).flat()));
});

test('a literal of megabytes that contains only quotes is parsed', () => {
  const { params } = withLongLiterals(`SELECT '${"''".repeat(1_000_000)}'`);
  expect(params[0]?.length).toBe(1_000_000);
});

test.each([
  'SELECT 1',
  'select * from t where "delete" = \'DROP TABLE t; --\' -- insert',
  'VALUES (1), (2);',
  'WITH a AS (SELECT 1 AS x) SELECT replace(x, 1, 2) FROM a WHERE x = ?1',
  'SELECT [update], `create` FROM t',
  "SELECT * FROM pragma_table_info('t')",
  'SELECT * FROM "pragma_index_list"(?)',
])('%j only reads', (sql) => {
  expect(isReading(sql)).toBe(true);
});

test.each([
  '',
  ';',
  'DELETE FROM t',
  'WITH a AS (SELECT 1) DELETE FROM t',
  'with a as (select 1) insert into t select * from a',
  'WITH a AS (SELECT 1) REPLACE INTO t VALUES (1)',
  'WITH a AS (SELECT 1) UPDATE t SET x = 1 RETURNING *',
  'SELECT 1; DROP TABLE t',
  'EXPLAIN SELECT 1',
  'EXPLAIN QUERY PLAN DELETE FROM t',
  'PRAGMA user_version = 5',
  'PRAGMA table_info(t)',
  'SELECT * FROM pragma_optimize(0x10002)',
  'SELECT * FROM Pragma_User_Version',
  'SELECT * FROM "pragma_optimize"(0x10002)',
  'SELECT * FROM main.[pragma_optimize](0x10002)',
  'SELECT * FROM `PRAGMA_optimize`',
  "SELECT * FROM 'pragma_optimize'",
  'VACUUM',
  "ATTACH 'x' AS y",
  'BEGIN',
  '/* SELECT */ DELETE FROM t',
  '-- SELECT\nDELETE FROM t',
  // In SQLite `$a(')` is a parameter, and what follows it is not quoted.
  "WITH x AS (SELECT $a(')) DELETE FROM t --')",
  'SELECT :a',
  'SELECT @a',
])('%j can do more than read', (sql) => {
  expect(isReading(sql)).toBe(false);
});

/** Parts of statements, and ways to hide one thing in another. */
const PIECES = [
  ...[
    'SELECT',
    'VALUES',
    'WITH',
    'a',
    'AS',
    '(',
    ')',
    '(SELECT 1)',
    '(1)',
    '1',
    '*',
    ',',
    'FROM',
    't',
    'WHERE',
    '=',
  ],
  ...[
    'DELETE',
    'INSERT',
    'INTO',
    'REPLACE',
    'UPDATE',
    'SET',
    'x',
    'RETURNING',
    'EXPLAIN',
    'PRAGMA',
    'user_version',
  ],
  ...[
    'DROP TABLE t',
    'CREATE TABLE u (x)',
    'DELETE FROM t',
    'INSERT INTO t VALUES (1)',
    'WITH a AS (SELECT 1)',
  ],
  ...[
    "'",
    '"',
    '`',
    '[',
    ']',
    '--',
    '\n',
    '/*',
    '*/',
    ';',
    '$a(',
    ':a',
    '@a',
    '#',
    '?',
    '?1',
    '\\',
    '\t',
    '\u00a0',
  ],
  ...[
    '\ufeff',
    '\v',
    'é',
    'ſelect',
    "x'",
    '0x',
    '1e',
    '||',
    '->>',
    'BEGIN',
    'END',
    'ALTER TABLE t RENAME TO u',
  ],
];

test('a statement recognized as read-only changes nothing in a real database', () => {
  const db = new Database(':memory:');
  db.run('CREATE TABLE t (x)');
  db.run('INSERT INTO t VALUES (1)');
  const state = () =>
    db
      .query(
        'SELECT total_changes(), (SELECT group_concat(sql) FROM sqlite_master), (SELECT user_version FROM pragma_user_version)',
      )
      .values();
  const before = state();
  const text = fc.array(fc.oneof(fc.constantFrom(...PIECES), fc.constantFrom(' ', '')), { maxLength: 14 });
  const start = fc.constantFrom(
    ...['', 'SELECT ', 'VALUES (1) ', 'WITH a AS (SELECT 1) ', "WITH a AS (SELECT $a(')) DELETE FROM t --' "],
  );
  let ran = 0;
  fc.assert(
    fc.property(start, text, fc.constantFrom(' ', ''), (first, pieces, between) => {
      const sql = first + pieces.join(between);
      fc.pre(isReading(sql));
      try {
        db.prepare(sql).all();
        ran++;
      } catch {
        // SQLite rejects it as invalid SQL, which changes nothing either.
      }
      expect(state()).toEqual(before);
    }),
    { numRuns: 4_000, maxSkipsPerRun: 1_000 },
  );
  expect(ran).toBeGreaterThan(50);
  db.close();
});
