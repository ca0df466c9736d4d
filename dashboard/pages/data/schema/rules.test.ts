import { expect, test } from 'bun:test';
import { faultsOf as serviceFaults } from '../../../../contract/rules/record-faults.ts';
import type { CollectionSchema } from '../api.ts';
import { faultsOf } from './fit.ts';

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
const RECORDS: Array<Record<string, unknown>> = [
  whole,
  {},
  { title: null },
  { title: 'a' },
  { title: 'abcde' },
  { title: '😀😀' },
  { title: 7 },
  ...[0, 9, -1, 10, '3'].map((count) => ({ ...whole, count })),
  ...[true, 'true', null].map((done) => ({ ...whole, done })),
  ...['open', 3, '3', 'shut'].map((state) => ({ ...whole, state })),
  ...['2026-02-28', '2026-02-31', '2026-02-28T10:00Z', 'soon', 5].map((due) => ({ ...whole, due })),
  ...[[], ['ab'], ['abc'], 'ab', [1]].map((tags) => ({ ...whole, tags })),
  ...[{ city: 'x' }, {}, [], 'x'].map((place) => ({ ...whole, place })),
  { ...whole, extra: 1 },
];

test.each(RECORDS)('%j is judged as the service judges it', (data) => {
  const matches = (pattern: string, text: string) => new RegExp(pattern).test(text);
  const service = serviceFaults(SCHEMA as Parameters<typeof serviceFaults>[0], data, 'whole record');
  expect(faultsOf(SCHEMA, data, matches).length > 0).toBe(service.length > 0);
});
