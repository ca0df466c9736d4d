import { expect, test } from 'bun:test';
import type { WhereOperator } from '../../../../contract/rules/where-operators.ts';
import { fromWhere, toWhere } from './where.ts';

const row = (field: string, operator: WhereOperator, value: string, key = 0) => ({
  key,
  field,
  operator,
  value,
});

const ROWS: Array<[ReturnType<typeof row>, unknown]> = [
  [row('title', 'eq', 'Bread'), { title: { eq: 'Bread' } }],
  [row('count', 'gt', '42'), { count: { gt: 42 } }],
  [row('count', 'eq', '"42"'), { count: { eq: '42' } }],
  [row('done', 'ne', 'true'), { done: { ne: true } }],
  [row('due', 'eq', 'null'), { due: { eq: null } }],
  [row('due', 'lte', '2026-01-31'), { due: { lte: '2026-01-31' } }],
  [row('title', 'eq', '""'), { title: { eq: '' } }],
  [row('tags', 'contains', 'red'), { tags: { contains: 'red' } }],
  [row('state', 'in', 'open, 3, true'), { state: { in: ['open', 3, true] } }],
  [row('state', 'in', '["a, b","c"]'), { state: { in: ['a, b', 'c'] } }],
  [row('a.b', 'exists', 'false'), { 'a.b': { exists: false } }],
];
test.each(ROWS)('converts %j to %j and back', (condition, where) => {
  const text = toWhere({ match: 'all', conditions: [condition] }) ?? '';
  expect(JSON.parse(text)).toEqual(where);
  expect(JSON.parse(toWhere(fromWhere(text) ?? { match: 'any', conditions: [] }) ?? '')).toEqual(where);
});

test('converts several conditions: all, any, and two on one field', () => {
  const two = [row('a', 'gt', '1'), row('b', 'eq', 'x', 1)];
  expect(toWhere({ match: 'all', conditions: two })).toBe('{"a":{"gt":1},"b":{"eq":"x"}}');
  const any = '{"or":[{"a":{"gt":1}},{"b":{"eq":"x"}}]}';
  expect(toWhere({ match: 'any', conditions: two })).toBe(any);
  expect(fromWhere(any)).toEqual({ match: 'any', conditions: two });
  const same = [row('a', 'gt', '1'), row('a', 'lt', '9', 1)];
  const both = '{"and":[{"a":{"gt":1}},{"a":{"lt":9}}]}';
  expect(toWhere({ match: 'all', conditions: same })).toBe(both);
  expect(fromWhere(both)).toEqual({ match: 'all', conditions: same });
  expect(fromWhere('{"a":{"gt":1,"lt":9}}')).toEqual({ match: 'all', conditions: same });
  expect(toWhere({ match: 'all', conditions: [row('  ', 'eq', 'x')] })).toBeUndefined();
});

test.each([
  '',
  '{',
  '[]',
  '3',
  '{"or":[{"a":1,"b":2}]}',
  '{"and":[{"or":[]}]}',
  '{"a":{"near":1}}',
  '{"a":[1]}',
])('cannot show %j as rows', (text) => expect(fromWhere(text)).toBeUndefined());
