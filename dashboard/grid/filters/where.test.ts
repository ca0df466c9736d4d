import { expect, test } from 'bun:test';
import type { Condition, Operator } from './conditions.ts';
import { fromWhere, toWhere } from './where.ts';

const chip = (field: string, operator: Operator, ...values: Condition['values']): Condition => ({
  field,
  operator,
  values,
});

const CHIPS: Array<[Condition, unknown]> = [
  [chip('title', 'eq', 'Bread'), { title: { eq: 'Bread' } }],
  [chip('count', 'gt', 42), { count: { gt: 42 } }],
  [chip('count', 'eq', '42'), { count: { eq: '42' } }],
  [chip('done', 'ne', true), { done: { ne: true } }],
  [chip('due', 'eq', null), { due: { eq: null } }],
  [chip('due', 'lte', '2026-01-31'), { due: { lte: '2026-01-31' } }],
  [chip('title', 'eq', ''), { title: { eq: '' } }],
  [chip('tags', 'contains', 'red'), { tags: { contains: 'red' } }],
  [chip('state', 'in', 'open', 3, true), { state: { in: ['open', 3, true] } }],
  [chip('state', 'in', 'a, b', 'c'), { state: { in: ['a, b', 'c'] } }],
  [chip('count', 'range', 1, 9), { count: { gte: 1, lte: 9 } }],
  // The whole last day belongs to the range.
  [chip('due', 'range', '2026-02-27', '2026-02-28'), { due: { gte: '2026-02-27', lt: '2026-03-01' } }],
  [chip('a.b', 'empty'), { 'a.b': { in: [null, ''] } }],
  [chip('a.b', 'filled'), { and: [{ 'a.b': { ne: null } }, { 'a.b': { ne: '' } }] }],
];
test.each(CHIPS)('converts %j to %j and back', (condition, where) => {
  const text = toWhere({ match: 'all', conditions: [condition] }) ?? '';
  expect(JSON.parse(text)).toEqual(where);
  expect(fromWhere(text)).toEqual({ match: 'all', conditions: [condition] });
});

test('a range with one bound is a comparison', () => {
  expect(toWhere({ match: 'all', conditions: [chip('n', 'range', 1, null)] })).toBe('{"n":{"gte":1}}');
  expect(toWhere({ match: 'all', conditions: [chip('n', 'range', null, 2)] })).toBe('{"n":{"lte":2}}');
});

test('converts several conditions: all, any, and two on one field', () => {
  const two = [chip('a', 'gt', 1), chip('b', 'filled')];
  const all = '{"a":{"gt":1},"and":[{"b":{"ne":null}},{"b":{"ne":""}}]}';
  expect(toWhere({ match: 'all', conditions: two })).toBe(all);
  expect(fromWhere(all)).toEqual({ match: 'all', conditions: two });
  const any = '{"or":[{"a":{"gt":1}},{"and":[{"b":{"ne":null}},{"b":{"ne":""}}]}]}';
  expect(toWhere({ match: 'any', conditions: two })).toBe(any);
  expect(fromWhere(any)).toEqual({ match: 'any', conditions: two });
  const same = [chip('a', 'gt', 1), chip('a', 'lt', 9)];
  const both = '{"and":[{"a":{"gt":1}},{"a":{"lt":9}}]}';
  expect(toWhere({ match: 'all', conditions: same })).toBe(both);
  expect(fromWhere(both)).toEqual({ match: 'all', conditions: same });
  expect(fromWhere('{"a":{"gt":1,"lt":9}}')).toEqual({ match: 'all', conditions: same });
  expect(fromWhere('{"a":1}')).toEqual({ match: 'all', conditions: [chip('a', 'eq', 1)] });
  expect(toWhere({ match: 'all', conditions: [] })).toBeUndefined();
});

test.each([
  '',
  '{',
  '[]',
  '3',
  '{"or":[{"a":1,"b":2}]}',
  '{"and":[{"or":[]}]}',
  '{"a":{"near":1}}',
  '{"a":{"exists":true}}',
  '{"a":[1]}',
])('cannot show %j as chips', (text) => expect(fromWhere(text)).toBeUndefined());
