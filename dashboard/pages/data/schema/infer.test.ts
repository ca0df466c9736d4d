import { expect, test } from 'bun:test';
import { hasOneShape, inferSchema } from './infer.ts';
import { findFaults } from './rules.ts';

const repeat = <Value>(count: number, make: (n: number) => Value) =>
  Array.from({ length: count }, (_, n) => make(n));

test('infers types, and requires what every record has', () => {
  const records = [
    { title: 'a', count: 1, done: true, due: '2026-01-31', at: '2026-01-31T12:00:00Z', note: null },
    {
      title: 'b',
      count: 2.5,
      done: false,
      due: '2026-02-01',
      at: '2026-02-01T12:00:00Z',
      note: 'x',
      more: 1,
    },
  ];
  expect(inferSchema(records)).toEqual({
    schema: {
      fields: {
        title: { type: 'string', required: true },
        count: { type: 'number', required: true },
        done: { type: 'boolean', required: true },
        due: { type: 'date', required: true },
        at: { type: 'date', required: true },
        note: { type: 'string' },
        more: { type: 'number' },
      },
    },
    mixed: [],
  });
});

test('text with few values that repeat is one of a list, other text is not', () => {
  const states = repeat(12, (n) => ({ state: ['open', 'done', 'late'][n % 3], title: `t${n}`, same: 'x' }));
  expect(inferSchema(states).schema.fields).toEqual({
    state: { type: 'enum', values: ['done', 'late', 'open'], required: true },
    title: { type: 'string', required: true },
    same: { type: 'string', required: true },
  });
  expect(inferSchema(states.slice(0, 11)).schema.fields.state).toEqual({ type: 'string', required: true });
});

test('infers lists and objects up to a depth, and leaves mixed fields out', () => {
  const records = [
    { tags: ['a', 'b'], place: { city: 'Bonn', at: { x: { y: 1 } } }, odd: 1, list: [1, 'a'], empty: [] },
    { tags: [], place: { city: 'Ulm' }, odd: 'x', list: [], empty: [] },
  ];
  const { schema, mixed } = inferSchema(records);
  expect(schema.fields).toEqual({
    tags: { type: 'array', items: { type: 'string' }, required: true },
    place: {
      type: 'object',
      required: true,
      properties: {
        city: { type: 'string', required: true },
        at: { type: 'object', properties: { x: { type: 'object', required: true } } },
      },
    },
    list: { type: 'array', required: true },
    empty: { type: 'array', required: true },
  });
  expect(mixed).toEqual(['odd']);
});

test('every record fits the schema that is inferred from it', () => {
  const records = [
    ...repeat(20, (n) => ({ a: n % 2 ? 'x' : 'y', b: [n, null], c: { d: n % 3 ? n : null } })),
    { b: [], e: { f: [[1], ['x']] }, g: 'Straße' },
  ];
  const { schema } = inferSchema(records);
  for (const data of records) expect(findFaults(schema, data, 'whole record')).toEqual([]);
});

test('no records suggest no fields', () => {
  expect(inferSchema([])).toEqual({ schema: { fields: {} }, mixed: [] });
});

test('20 records with the same fields have one shape', () => {
  const records = repeat(20, (n) => ({ title: `t${n}`, n, note: n % 2 ? null : 'x' }));
  expect(hasOneShape(records)).toBe(true);
  expect(hasOneShape(records.slice(1))).toBe(false);
  expect(hasOneShape(repeat(20, () => ({})))).toBe(false);
  // A field less, a field more, another name, another type, nothing but null.
  const other: Array<Record<string, unknown>> = [
    { title: 'x', n: 1 },
    { title: 'x', n: 1, note: 'x', more: 1 },
    { title: 'x', n: 1, other: 'x' },
    { title: 1, n: 1, note: 'x' },
  ];
  for (const odd of other) expect(hasOneShape([...records, odd])).toBe(false);
  expect(hasOneShape(repeat(20, (n) => ({ n, empty: null })))).toBe(false);
});
