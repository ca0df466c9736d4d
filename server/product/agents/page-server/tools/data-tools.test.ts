import { expect, test } from 'bun:test';
import type { CollectionSchema } from '../../../../../contract/data/collection-schema.ts';
import type { DataType } from '../../../../../contract/rules/storage-modes.ts';
import { dataTools, type PageData } from './data-tools.ts';
import { recordSchema } from './record-schema.ts';

const ALL = new Set(['read', 'create', 'update', 'delete', 'define']);
const SOCIAL: PageData = {
  pageId: 1,
  storageType: 'social_data',
  schemas: [],
  actionsBy: () => ALL,
  isOpen: () => true,
};
const schema: CollectionSchema = { fields: { a: { type: 'string' } } };
const listNames = (more: Partial<PageData>) =>
  dataTools({ ...SOCIAL, schemas: [], ...more }).map(({ name }) => name);
const listed = (schemas: PageData['schemas']) =>
  listNames({ schemas }).filter((name) => /^list_c\d+$/.test(name));

test('at most ten collections have tools of their own', () => {
  const many = (count: number) =>
    Array.from({ length: count }, (_, at) => ({ collection: `c${at}`, schema }));
  expect(listed(many(10))).toHaveLength(10);
  expect(listed(many(11))).toHaveLength(10);
});

test('a collection with a large schema has none', () => {
  const large = (characters: number): CollectionSchema => {
    const empty = { fields: { a: { type: 'enum' as const, values: [''] } } };
    const values = ['x'.repeat(characters - JSON.stringify(empty).length)];
    return { fields: { a: { type: 'enum', values } } };
  };
  expect(listed([{ collection: 'c1', schema: large(8192) }])).toEqual(['list_c1']);
  expect(listed([{ collection: 'c1', schema: large(8193) }])).toEqual([]);
});

test('a tool whose name is too long for models is left out', () => {
  const fits = 'c'.repeat(64 - 'create_'.length);
  const names = listNames({ schemas: [{ collection: fits, schema }] });
  expect(names).toContain(`create_${fits}`);
  const longer = listNames({ schemas: [{ collection: `${fits}c`, schema }] });
  expect(longer).not.toContain(`create_${fits}c`);
  expect(longer).toContain(`list_${fits}c`);
});

test.each<[string, string[]]>([
  ['read', ['list_collections', 'list_records', 'get_record']],
  ['create', ['create_record']],
  ['update', ['update_record', 'replace_record']],
  ['delete', ['delete_record']],
  ['define', []],
])('who can %s gets the tools for it', (action, names) => {
  expect(listNames({ actionsBy: () => new Set([action]) })).toEqual(names);
});

test.each<[PageData['storageType'], DataType, boolean]>([
  ['social_data', 'social-data', false],
  ['team_data', 'team-data', true],
  ['solo_data', 'solo-data', true],
])('reading %s needs the scope %s and a login: %p', (storageType, type, needsLogin) => {
  const tools = dataTools({ ...SOCIAL, storageType, isOpen: () => !needsLogin });
  expect(tools.find(({ name }) => name === 'list_records')).toMatchObject({
    needsLogin,
    scopes: [`${type}:read`],
  });
  expect(tools.find(({ name }) => name === 'create_record')).toMatchObject({
    needsLogin: true,
    scopes: [`${type}:write`],
  });
});

test('the rules of a collection decide about its own tools, and open the tools for any collection', () => {
  const closed = { collection: 'closed', schema: { ...schema, rules: { update: 'owner' } } } as const;
  const open = { collection: 'open', schema: { ...schema, rules: { read: 'anyone' } } } as const;
  const tools = dataTools({
    ...SOCIAL,
    storageType: 'team_data',
    schemas: [closed, open],
    actionsBy: (rules) => new Set(['read', ...(rules?.update === 'owner' ? [] : ['update'])]),
    isOpen: (rules) => rules?.read === 'anyone',
  });
  const ofTool = (name: string) => tools.find((tool) => tool.name === name);
  expect(ofTool('update_closed')).toBeUndefined();
  expect(ofTool('update_open')?.needsLogin).toBe(true);
  expect([ofTool('list_closed')?.needsLogin, ofTool('list_open')?.needsLogin]).toEqual([true, false]);
  expect([ofTool('list_records')?.needsLogin, ofTool('update_record')?.needsLogin]).toEqual([false, true]);
});

test('a schema of a collection becomes one of JSON Schema', () => {
  const fields: CollectionSchema['fields'] = {
    text: { type: 'string', required: true, minLength: 1, maxLength: 9, pattern: '(?i)a' },
    count: { type: 'number', min: 0, max: 5 },
    done: { type: 'boolean' },
    kind: { type: 'enum', values: ['a', 1] },
    tags: { type: 'array', items: { type: 'string' } },
    place: { type: 'object', properties: { city: { type: 'string', required: true } } },
    any: { type: 'object' },
    at: { type: 'date' },
  };
  const made = recordSchema({ fields, strict: true }, 'record');
  expect(made).toEqual({
    type: 'object',
    required: ['text'],
    additionalProperties: false,
    properties: {
      text: { type: 'string', minLength: 1, maxLength: 9, description: 'Must match (?i)a' },
      count: { type: 'number', minimum: 0, maximum: 5 },
      done: { type: 'boolean' },
      kind: { enum: ['a', 1] },
      tags: { type: 'array', items: { type: 'string' } },
      place: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
      any: { type: 'object' },
      at: { type: 'string', description: 'An ISO 8601 date or time.' },
    },
  });
  // In a change, no field is required, and null removes fields that are optional in the record.
  expect(recordSchema({ fields, strict: true }, 'change')).toEqual({
    type: 'object',
    additionalProperties: false,
    properties: {
      ...(made.properties as object),
      count: { type: ['number', 'null'], minimum: 0, maximum: 5 },
      done: { type: ['boolean', 'null'] },
      kind: { enum: ['a', 1, null] },
      tags: { type: ['array', 'null'], items: { type: 'string' } },
      place: { type: ['object', 'null'], properties: { city: { type: 'string' } }, required: ['city'] },
      any: { type: ['object', 'null'] },
      at: { type: ['string', 'null'], description: 'An ISO 8601 date or time.' },
    },
  });
});
