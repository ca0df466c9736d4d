import { expect, test } from 'bun:test';
import { onlyStatement, statements, withIntegers, withLongLiterals } from './sql-statements.ts';

test.each([
  ['SELECT 1', 'SELECT 1'],
  ['  SELECT 1 ; ', 'SELECT 1'],
  ['-- first\nSELECT 1; -- last', 'SELECT 1'],
  [';;SELECT 1;;', 'SELECT 1'],
  ['SELECT \'a;b\' /* ; */, "c;d", [e;f], `g;h`', 'SELECT \'a;b\' /* ; */, "c;d", [e;f], `g;h`'],
  ["SELECT 'it''s; fine'", "SELECT 'it''s; fine'"],
  ['CREATE TRIGGER t BEGIN SELECT 1; SELECT 2; END;', 'CREATE TRIGGER t BEGIN SELECT 1; SELECT 2; END'],
  [
    'create temp trigger t begin select case when 1 then 2 end; end',
    'create temp trigger t begin select case when 1 then 2 end; end',
  ],
  ["SELECT 'never closed; ", "SELECT 'never closed; "],
  ['', ''],
  [' -- nothing', ''],
])('%j is %j', (sql, statement) => {
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
])('%j has a second statement', (sql) => {
  expect(onlyStatement(sql)).toBeUndefined();
});

test('a long text takes time in proportion to its length', () => {
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
])('%j with %j is %j', (sql, params, expected) => {
  expect(withIntegers(sql, params)).toBe(expected);
});

test('a script has its statements, whatever stands between and within them', () => {
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

test('long literals become parameters, and short ones and names stay', () => {
  const text = "it''s ".repeat(100);
  const statement = `INSERT INTO "t" VALUES ('${text}', x'${'0aFF'.repeat(100)}', 'short', x'00')`;
  const { sql, params } = withLongLiterals(statement);
  expect(sql).toBe(`INSERT INTO "t" VALUES (?1, ?2, 'short', x'00')`);
  expect(params[0]).toBe("it's ".repeat(100));
  expect(params[1]).toEqual(new Uint8Array(Array(100).fill([0x0a, 0xff]).flat()));
});

test('a literal of megabytes, of quotes alone, is read', () => {
  const { params } = withLongLiterals(`SELECT '${"''".repeat(1_000_000)}'`);
  expect(params[0]?.length).toBe(1_000_000);
});
