import { expect, test } from 'bun:test';
import { namesAtFault, toDraft, toSchema, withType } from './draft.ts';

const WHOLE = {
  fields: {
    title: { type: 'string', required: true, minLength: 1, maxLength: 80, pattern: '^[A-Z]' },
    count: { type: 'number', min: 0, max: 1.5 },
    state: { type: 'enum', values: ['open', 'a, b', 3, true] },
    tags: { type: 'array', items: { type: 'string' } },
    place: { type: 'object', properties: { city: { type: 'string', required: true } } },
    due: { type: 'date' },
    done: { type: 'boolean' },
  },
  strict: true,
  rules: { read: 'anyone', update: 'member' },
  indexes: ['title', 'place.city'],
  search: ['title', 'tags'],
};

test('a schema is the same after a round trip through the form', () => {
  const draft = toDraft(WHOLE);
  expect(draft && toSchema(draft)).toEqual(WHOLE);
  expect(draft?.fields.map(({ name }) => name)).toEqual(Object.keys(WHOLE.fields));
});

test('keeps what the form does not know, and leaves to the JSON what it cannot show', () => {
  const odd = { fields: { a: { type: 'string', note: 'x' } } };
  const draft = toDraft(odd);
  expect(draft && toSchema(draft)).toEqual(odd);
  const unshown = [null, [], {}, { fields: [] }, { fields: { a: 1 } }, { fields: { a: { type: 'x' } } }];
  const rules = [{ read: 'x' }, { list: 'anyone' }, 'anyone', null].map((each) => ({
    fields: {},
    rules: each,
  }));
  for (const value of [
    ...unshown,
    { fields: {}, strict: 'yes' },
    { fields: {}, indexes: [1] },
    { fields: {}, search: 'a' },
    ...rules,
  ])
    expect(toDraft(value)).toBeUndefined();
});

test('another type drops the old limits; invalid numbers are passed on unchanged', () => {
  const [field] = toDraft({ fields: { a: { type: 'string', maxLength: 3 } } })?.fields ?? [];
  if (!field) throw new Error('no field');
  const fields = [
    withType(field, 'date'),
    { ...field, name: 'b', limits: { minLength: 'two', maxLength: ' ' } },
  ];
  expect(toSchema({ strict: false, fields, rules: {}, indexes: [], search: [] })).toEqual({
    fields: { a: { type: 'date' }, b: { type: 'string', minLength: 'two' } },
  });
});

test('a missing or repeated name is an error', () => {
  const draft = toDraft({ fields: { a: { type: 'date' }, b: { type: 'date' } } });
  const [a, b] = draft?.fields ?? [];
  if (!a || !b) throw new Error('no fields');
  const fields = [a, { ...b, name: 'a' }, { ...b, key: 2, name: '' }];
  expect([...namesAtFault({ strict: false, fields }).keys()]).toEqual([1, 2]);
});
