import { expect, test } from 'bun:test';
import { CollectionSchema, SchemaBody } from '../../data/collection-schema.ts';
import { fromJsonSchema } from './json-schema.ts';

test.each<[string, unknown, unknown]>([
  [
    'properties and a list of those that are required',
    {
      type: 'object',
      properties: { title: { type: 'string', maxLength: 80 }, done: { type: 'boolean' } },
      required: ['title'],
      additionalProperties: false,
    },
    {
      fields: { title: { type: 'string', maxLength: 80, required: true }, done: { type: 'boolean' } },
      strict: true,
    },
  ],
  [
    'enum and const',
    { fields: { status: { type: 'string', enum: ['open', 'done'] }, kind: { const: 1 } } },
    { fields: { status: { type: 'enum', values: ['open', 'done'] }, kind: { type: 'enum', values: [1] } } },
  ],
  [
    'integers, bounds, lists of types and dates',
    {
      properties: {
        count: { type: 'integer', minimum: 1, maximum: 9 },
        note: { type: ['null', 'string'], minLength: 2, pattern: '^a' },
        at: { type: 'string', format: 'date-time' },
      },
    },
    {
      fields: {
        count: { type: 'number', min: 1, max: 9 },
        note: { type: 'string', minLength: 2, pattern: '^a' },
        at: { type: 'date' },
      },
    },
  ],
  [
    'what is nested',
    {
      fields: {
        tags: { type: 'array', items: { enum: ['a', null] } },
        address: { type: 'object', properties: { zip: { type: 'integer' } }, required: ['zip'] },
      },
    },
    {
      fields: {
        tags: { type: 'array', items: { type: 'enum', values: ['a'] } },
        address: { type: 'object', properties: { zip: { type: 'number', required: true } } },
      },
    },
  ],
])('translates %s', (_, theirs, ours) => {
  const translated: unknown = fromJsonSchema(theirs);
  expect(translated).toEqual(ours);
  expect(CollectionSchema.safeParse(translated).success).toBe(true);
});

test.each([
  [
    {
      fields: {
        a: { type: 'enum', values: ['x'] },
        b: { type: 'object', properties: { c: { type: 'date' } } },
      },
    },
  ],
  [{ fields: { enum: { type: 'string' }, format: { type: 'number', min: 1 } }, strict: true }],
  [{ fields: { a: { type: 'nonsense' } } }],
  [{}],
  [null],
  ['text'],
  [[{ type: 'object' }]],
])('%j is not JSON Schema', (value) => {
  expect(fromJsonSchema(value)).toBeUndefined();
});

test('the error has the schema in our form', () => {
  const given = { properties: { status: { enum: ['open', 'done'] } }, required: ['status'] };
  const { error } = SchemaBody.safeParse({ schema: given });
  expect(error?.issues).toHaveLength(1);
  expect(error?.issues[0]?.message).toContain(
    '{"fields":{"status":{"type":"enum","values":["open","done"],"required":true}}}',
  );
});

test('a long schema is refused with a short example', () => {
  const properties = Object.fromEntries(
    Array.from({ length: 200 }, (_, at) => [`field${at}`, { enum: [at] }]),
  );
  const { error } = SchemaBody.safeParse({ schema: { properties } });
  expect(error?.issues[0]?.message).toContain('{"fields":{"field0":{"type":"enum","values":[0]}}}');
});
