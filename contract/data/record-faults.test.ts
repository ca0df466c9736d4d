import { expect, test } from 'bun:test';
import type { CollectionSchema } from './collection-schema.ts';
import { findFaults } from './record-faults.ts';

const SCHEMA: CollectionSchema = {
  fields: {
    title: { type: 'string', required: true, minLength: 2, maxLength: 4, pattern: '^[a-z]+$' },
    count: { type: 'number', min: 0, max: 9 },
    done: { type: 'boolean' },
    state: { type: 'enum', values: ['open', 3] },
    due: { type: 'date' },
    tags: { type: 'array', items: { type: 'string', maxLength: 2 } },
    place: { type: 'object', properties: { city: { type: 'string', required: true } } },
  },
  strict: true,
};
const whole = { title: 'abc' };

test.each([
  whole,
  ...[0, 9, null].map((count) => ({ ...whole, count })),
  ...[true, null].map((done) => ({ ...whole, done })),
  ...['open', 3].map((state) => ({ ...whole, state })),
  ...['2026-02-28', '2026-02-28T10:00Z'].map((due) => ({ ...whole, due })),
  ...[[], ['ab']].map((tags) => ({ ...whole, tags })),
  { ...whole, place: { city: 'x' } },
])('%j matches the schema', (data) => {
  expect(findFaults(SCHEMA, data, 'whole record')).toEqual([]);
});

test.each<[Record<string, unknown>, string]>([
  [{}, 'data.title is required'],
  [{ title: null }, 'data.title is required'],
  [{ title: 'a' }, 'data.title must have at least 2 characters'],
  [{ title: 'abcde' }, 'data.title must have at most 4 characters'],
  [{ title: '😀😀' }, 'data.title must match ^[a-z]+$'],
  [{ title: 7 }, 'data.title must be a string'],
  [{ ...whole, count: -1 }, 'data.count must be at least 0'],
  [{ ...whole, count: 10 }, 'data.count must be at most 9'],
  [{ ...whole, count: '3' }, 'data.count must be a number'],
  [{ ...whole, done: 'true' }, 'data.done must be true or false'],
  [{ ...whole, state: '3' }, 'data.state must be one of open, 3'],
  [{ ...whole, due: '2026-02-31' }, 'data.due must be a date'],
  [{ ...whole, due: 'soon' }, 'data.due must be a date'],
  [{ ...whole, due: 5 }, 'data.due must be a date'],
  [{ ...whole, tags: 'ab' }, 'data.tags must be an array'],
  [{ ...whole, tags: ['abc'] }, 'data.tags.0 must have at most 2 characters'],
  [{ ...whole, tags: [1] }, 'data.tags.0 must be a string'],
  [{ ...whole, place: {} }, 'data.place.city is required'],
  [{ ...whole, place: [] }, 'data.place must be an object'],
  [{ ...whole, extra: 1 }, 'data.extra is not a field of the schema'],
])('%j has the error "%s"', (data, fault) => {
  const [first, ...others] = findFaults(SCHEMA, data, 'whole record');
  expect(`${first?.path} ${first?.message}`).toStartWith(fault);
  expect(others).toEqual([]);
});

test('an update has no errors in fields that it does not name', () => {
  expect(findFaults(SCHEMA, { count: 1 }, 'change')).toEqual([]);
  expect(findFaults(SCHEMA, { title: null }, 'change')).toHaveLength(1);
});
