import { expect, test } from 'bun:test';
import { toChange } from './record-changes.ts';

test.each([
  [{ a: 1, b: [1] }, { b: [1], a: 1 }, { kind: 'none' }],
  [
    { a: 1, b: 2 },
    { a: 3, b: 2 },
    { kind: 'fields', fields: { a: 3 } },
  ],
  [{ a: 1, b: 2 }, { b: 2 }, { kind: 'fields', fields: { a: null } }],
  [{ a: 1 }, { c: { d: null } }, { kind: 'fields', fields: { c: { d: null }, a: null } }],
  [
    { a: 1, b: 2 },
    { a: null, b: 2 },
    { kind: 'all', data: { a: null, b: 2 } },
  ],
  [
    { a: null, b: 2 },
    { a: null, b: 3 },
    { kind: 'fields', fields: { b: 3 } },
  ],
  [{ a: null }, {}, { kind: 'fields', fields: { a: null } }],
])('from %j to %j sends %j', (before, after, change) => {
  expect(toChange(before, after)).toEqual(change as ReturnType<typeof toChange>);
});
