import { expect, test } from 'bun:test';
import { draftOf, namesAtFault, schemaOf, withType } from './draft.ts';

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
};

test('a schema goes into the form and comes back the same', () => {
  const draft = draftOf(WHOLE);
  expect(draft && schemaOf(draft)).toEqual(WHOLE);
  expect(draft?.fields.map(({ name }) => name)).toEqual(Object.keys(WHOLE.fields));
});

test('what the form does not know is kept, what it cannot show is left to the JSON', () => {
  const odd = { fields: { a: { type: 'string', note: 'x' } } };
  const draft = draftOf(odd);
  expect(draft && schemaOf(draft)).toEqual(odd);
  const unshown = [null, [], {}, { fields: [] }, { fields: { a: 1 } }, { fields: { a: { type: 'x' } } }];
  for (const value of [...unshown, { fields: {}, strict: 'yes' }]) expect(draftOf(value)).toBeUndefined();
});

test('another type leaves the old limits behind; numbers that are none go as they are', () => {
  const [field] = draftOf({ fields: { a: { type: 'string', maxLength: 3 } } })?.fields ?? [];
  if (!field) throw new Error('no field');
  const fields = [
    withType(field, 'date'),
    { ...field, name: 'b', limits: { minLength: 'two', maxLength: ' ' } },
  ];
  expect(schemaOf({ strict: false, fields })).toEqual({
    fields: { a: { type: 'date' }, b: { type: 'string', minLength: 'two' } },
  });
});

test('names that are missing or there twice are at fault', () => {
  const draft = draftOf({ fields: { a: { type: 'date' }, b: { type: 'date' } } });
  const [a, b] = draft?.fields ?? [];
  if (!a || !b) throw new Error('no fields');
  const fields = [a, { ...b, name: 'a' }, { ...b, key: 2, name: '' }];
  expect([...namesAtFault({ strict: false, fields }).keys()]).toEqual([1, 2]);
});
