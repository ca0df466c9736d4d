import { expect, test } from 'bun:test';
import { classifyStatement, describeLoss, findOverwritten } from './statement.ts';

test.each([
  ['drop table notes', 'the table notes'],
  ['-- gone\n/* all */ DROP TABLE IF EXISTS main."my notes";', 'the table main.my notes'],
  ['drop view [a view]', 'the view a view'],
  ['DELETE FROM notes', 'all rows of notes'],
  ["delete from notes -- where id = 1\nreturning 'where'", 'all rows of notes'],
  ['WITH old AS (SELECT 1 WHERE 1) DELETE FROM "notes"', 'all rows of notes'],
  ['alter table notes drop column text', 'the column text of notes'],
  ['ALTER TABLE notes DROP text', 'the column text of notes'],
])('recognizes that %s deletes data', (sql, loss) => {
  expect(describeLoss(sql)).toBe(loss);
});

test.each([
  'DELETE FROM notes WHERE id = 1',
  'SELECT 1 -- drop table notes',
  "INSERT INTO notes VALUES ('drop table notes')",
  'ALTER TABLE notes RENAME TO "drop"',
  'CREATE TABLE notes (id)',
  '',
])('recognizes that %s does not delete everything', (sql) => {
  expect(describeLoss(sql)).toBeUndefined();
});

test.each([
  ['SELECT 1', 'rows'],
  ['WITH n AS (SELECT 1) SELECT * FROM n', 'rows'],
  ['PRAGMA table_info(notes)', 'rows'],
  ['DELETE FROM notes RETURNING id', 'rows'],
  ['WITH n AS (SELECT 1) INSERT INTO notes SELECT * FROM n', 'changes'],
  ['UPDATE notes SET id = 1', 'changes'],
  ['drop table notes', 'other'],
] as const)('recognizes the kind of %s: %s', (sql, kind) => {
  expect(classifyStatement(sql)).toBe(kind);
});

test.each([
  ['UPDATE notes SET a = 1', 'notes'],
  ['update or ignore "my notes" set a = (select 1 where 1)', 'my notes'],
  ['UPDATE notes SET a = 1 WHERE id = 2', undefined],
  ["SELECT 'update notes'", undefined],
])('recognizes whether %s changes all rows', (sql, table) => {
  expect(findOverwritten(sql)).toBe(table);
});
