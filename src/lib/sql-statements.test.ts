import { expect, test } from 'bun:test';
import { onlyStatement, withIntegers } from './sql-statements.ts';

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
