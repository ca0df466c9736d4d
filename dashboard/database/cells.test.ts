import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { type Cell, decode, encoded, toParameter, typedCell } from './cells.ts';
import { toWhere } from './where-sql.ts';

const db = new Database(':memory:');

test.each<[string, Cell]>([
  ['NULL', { kind: 'null' }],
  ['9223372036854775807', { kind: 'integer', text: '9223372036854775807' }],
  ['-9007199254740993', { kind: 'integer', text: '-9007199254740993' }],
  ['1.5', { kind: 'real', value: 1.5 }],
  ["'42'", { kind: 'text', text: '42' }],
  ["''", { kind: 'text', text: '' }],
  ["'b3:x'", { kind: 'text', text: 'b3:x' }],
  ["X'00ff'", { kind: 'blob', size: 2, start: '00ff' }],
])('reads %s exactly, and writes it back', (literal, cell) => {
  const { v } = db.query(`SELECT ${encoded('c')} AS v FROM (SELECT ${literal} AS c)`).get() as { v: unknown };
  expect(decode(v)).toEqual(cell);
  const { sql, params } = toParameter(cell);
  const same = db
    .query(`SELECT typeof(${sql}) = typeof(${literal}) AND ${sql} IS ${literal} AS same`)
    .get(...([...params, ...params] as string[]));
  expect(same).toEqual({ same: 1 });
});

test.each<[string, string, Cell]>([
  ['42', 'INTEGER', { kind: 'integer', text: '42' }],
  ['9223372036854775807', '', { kind: 'integer', text: '9223372036854775807' }],
  ['9223372036854775808', 'INTEGER', { kind: 'real', value: 2 ** 63 }],
  ['42', 'TEXT', { kind: 'text', text: '42' }],
  ['4.5', 'REAL', { kind: 'real', value: 4.5 }],
  ['', 'INTEGER', { kind: 'text', text: '' }],
  ['abc', 'INTEGER', { kind: 'text', text: 'abc' }],
  ["x'00FF'", 'BLOB', { kind: 'blob', size: 2, start: '00ff' }],
  ["x'0'); DROP TABLE a", 'BLOB', { kind: 'text', text: "x'0'); DROP TABLE a" }],
])('takes %j for a column of type %j', (typed, type, cell) => {
  expect(typedCell(typed, type)).toEqual(cell);
});

test('filters become SQL with parameters', () => {
  const rows = db.query(
    `WITH t("a ""b", n) AS (VALUES ('x', 1), ('xy', 2), ('', 3), (NULL, 4)) SELECT n FROM t`,
  );
  expect(rows.all().length).toBe(4);
  const find = (...conditions: Parameters<typeof toWhere>[0]['conditions']) => {
    const { where, params } = toWhere({ match: 'all', conditions });
    const text = `WITH t("a ""b", n) AS (VALUES ('x', 1), ('xy', 2), ('', 3), (NULL, 4)) SELECT n FROM t${where}`;
    return db
      .query<{ n: number }, string[]>(text)
      .all(...(params as string[]))
      .map(({ n }) => n);
  };
  const field = 'a "b';
  expect(find({ field, operator: 'contains', values: ['y'] })).toEqual([2]);
  expect(find({ field, operator: 'eq', values: ['x'] })).toEqual([1]);
  expect(find({ field, operator: 'ne', values: ['x'] })).toEqual([2, 3, 4]);
  expect(find({ field, operator: 'empty', values: [] })).toEqual([3, 4]);
  expect(find({ field, operator: 'filled', values: [] })).toEqual([1, 2]);
  expect(find({ field: 'n', operator: 'range', values: [2, 3] })).toEqual([2, 3]);
  expect(find({ field: 'n', operator: 'range', values: [null, 2] })).toEqual([1, 2]);
  expect(find({ field: 'n', operator: 'in', values: [1, 4] })).toEqual([1, 4]);
  expect(find({ field: 'n', operator: 'gt', values: [2] }, { field, operator: 'eq', values: [''] })).toEqual([
    3,
  ]);
  expect(toWhere({ match: 'any', conditions: [] })).toEqual({ where: '', params: [] });
});
