import { expect, test } from 'bun:test';
import { faultsByField, makeDrafts, newDraft, readRecord, withField } from './field-drafts.ts';

const SCHEMA = {
  fields: {
    title: { type: 'string' as const, required: true },
    count: { type: 'number' as const },
    done: { type: 'boolean' as const },
    state: { type: 'enum' as const, values: ['open', 2, true] },
    due: { type: 'date' as const },
    tags: { type: 'array' as const },
    place: { type: 'object' as const },
  },
};

test('an untouched form returns exactly the record, whatever its values are', () => {
  const data = { title: 7, extra: null, count: 1, state: 2, tags: 'none', deep: { a: [1] }, note: '' };
  const drafts = makeDrafts(data, SCHEMA);
  expect(drafts.map(({ name, kind }) => `${name} ${kind}`)).toEqual([
    'title json',
    'count number',
    'done boolean',
    'state enum',
    'due date',
    'tags json',
    'place json',
    'extra json',
    'deep json',
    'note string',
  ]);
  expect(readRecord(drafts)).toEqual({ data, faults: new Map() });
});

const typed = (values: Record<string, string>, data: Record<string, unknown> = { title: 'x' }) =>
  readRecord(
    makeDrafts(data, SCHEMA).map((draft) => ({ ...draft, typed: values[draft.name] ?? draft.typed })),
  );

test('reads what was typed by the type of the field', () => {
  const values = {
    title: '42',
    count: '42',
    done: 'true',
    state: '2',
    due: '2026-01-31',
    tags: '[1]',
    place: '{}',
  };
  expect(typed(values).data).toEqual({
    title: '42',
    count: 42,
    done: true,
    state: 2,
    due: '2026-01-31',
    tags: [1],
    place: {},
  });
});

test('an optional field that is cleared is removed, and a required one is reported', () => {
  expect(typed({ count: '', due: '' }, { title: 'x', count: 1, due: '2026-01-31' }).data).toEqual({
    title: 'x',
  });
  expect(typed({}, {}).faults.get('title')).toBe('Enter a value.');
  expect(typed({ title: '' }).faults.get('title')).toBe('Enter a value.');
  expect(typed({}, { title: '' }).data).toEqual({ title: '' });
});

test('reports what cannot be read at its field', () => {
  const { faults } = typed({ count: 'many', tags: '{}', place: '[', title: 'x' });
  expect([...faults.keys()]).toEqual(['count', 'tags', 'place']);
});

test('offers the fields of other records, and added ones', () => {
  const drafts = [...makeDrafts({}, null, { n: 1, list: [] }), newDraft('new', 'boolean')];
  expect(drafts.map(({ name, kind }) => [name, kind])).toEqual([
    ['n', 'number'],
    ['list', 'json'],
    ['new', 'boolean'],
  ]);
  expect(readRecord(drafts).data).toEqual({});
});

test('finds the field of an error of the service', () => {
  const details = [
    { path: 'data.tags.0', message: 'must be a string' },
    { path: 'data.title', message: 'is required' },
    { path: 'data', message: 'is too large' },
  ];
  const { faults, others } = faultsByField(['title', 'tags'], details);
  expect([...faults]).toEqual([
    ['tags', '0 must be a string'],
    ['title', 'is required'],
  ]);
  expect(others).toEqual(['data is too large']);
});

test.each<[unknown, string, unknown]>([
  ['old', '<b>new</b>', '<b>new</b>'],
  ['old', '', undefined],
  [1, '-2.5', -2.5],
  [true, 'false', false],
  [[1], '[1, 2]', [1, 2]],
  [{ a: 1 }, '{}', {}],
  [null, '"text"', 'text'],
  ['2026-01-31', 'NaN', 'NaN'],
])('a cell with %j takes %p', (before, typed, after) => {
  const [draft] = makeDrafts({ field: before }, null);
  if (!draft) throw new Error('no draft');
  expect(withField({ field: before, other: 1 }, { ...draft, typed })).toEqual(
    after === undefined ? { other: 1 } : { field: after, other: 1 },
  );
});

test.each<[unknown, string, string]>([
  [1, 'many', 'Enter a number.'],
  [1, 'Infinity', 'Enter a number.'],
  [[1], '[1', 'This is not valid JSON.'],
])('a cell with %j does not take %p', (before, typed, fault) => {
  const [draft] = makeDrafts({ field: before }, null);
  if (!draft) throw new Error('no draft');
  expect(() => withField({ field: before }, { ...draft, typed })).toThrow(fault);
});
