import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { type Cell, decode, encoded, isWhole, readTyped, toParameter, typedCell } from './cells.ts';
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

test('reads the start of a long text, and says how long it is', () => {
  const read = (characters: number) => {
    const sql = `SELECT ${encoded('c')} AS v FROM (SELECT printf('%.*c', ${characters}, 'ä') AS c)`;
    return decode((db.query(sql).get() as { v: unknown }).v);
  };
  expect(read(2_000)).toEqual({ kind: 'text', text: 'ä'.repeat(2_000) });
  expect(read(2_001)).toEqual({ kind: 'text', text: 'ä'.repeat(2_000), size: 2_001 });
  expect([read(2_000), read(1_000_000)].map(isWhole)).toEqual([true, false]);
  expect(isWhole({ kind: 'blob', size: 16, start: 'ff'.repeat(16) })).toBe(true);
  expect(isWhole({ kind: 'blob', size: 17, start: 'ff'.repeat(16) })).toBe(false);
});

const column = (type: string, isRequired = false) => ({ type, isRequired, isKey: false });

test.each<[string | null, string, Cell]>([
  ['<b>', 'TEXT', { kind: 'text', text: '<b>' }],
  ['', 'TEXT', { kind: 'text', text: '' }],
  [null, 'TEXT', { kind: 'null' }],
  ['', 'INTEGER', { kind: 'null' }],
  ['12', 'INTEGER', { kind: 'integer', text: '12' }],
  ['NaN', 'DATE', { kind: 'text', text: 'NaN' }],
  ['anything', '', { kind: 'text', text: 'anything' }],
])('typing %p into a cell of type %p gives %j', (typed, type, cell) => {
  expect(readTyped(typed, column(type))).toEqual(cell);
});

test.each(['twelve', 'NaN', 'Infinity', '1,5', '0x10'])('a number cannot be %p', (typed) => {
  expect(() => readTyped(typed, column('INTEGER'))).toThrow('Enter a number.');
});

test('a required number cannot be empty', () => {
  expect(() => readTyped(' ', column('REAL', true))).toThrow('Enter a number.');
});

test('a search looks into all columns, whatever the case, and leaves the places of other parameters', () => {
  const find = (query: string) => {
    const filter = { match: 'all', conditions: [{ field: 'n', operator: 'gt', values: [1] }] } as const;
    const { where, params } = toWhere({ ...filter, conditions: [...filter.conditions] } as never, {
      query,
      columns: ['s', 'n', 'b'],
    });
    const text = `WITH t(s, n, b) AS (VALUES ('Ada', 1, X'616461'), ('50% ADA_', 2, NULL), ('x', 31, X'616461'))
      SELECT n FROM t${where} LIMIT ?`;
    return db.query<{ n: number }, string[]>(text).all(...([...params, 10] as string[]));
  };
  expect(find('ada')).toEqual([{ n: 2 }]);
  expect(find('% a')).toEqual([{ n: 2 }]);
  expect(find('3')).toEqual([{ n: 31 }]);
  expect(find("' OR 1=1 --")).toEqual([]);
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
