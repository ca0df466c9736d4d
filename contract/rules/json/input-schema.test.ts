import { expect, test } from 'bun:test';
import { inputSchemaFault, MAX_INPUT_SCHEMA_CHARACTERS, MAX_INPUT_SCHEMA_DEPTH } from './input-schema.ts';

test('accepts what tools need', () => {
  const schema = {
    type: 'object',
    title: 'A vote',
    properties: {
      option: { type: 'string', enum: ['a', 'b'], description: 'Which one' },
      count: { type: 'integer', minimum: 1, maximum: 9, default: 1 },
      code: { type: ['string', 'null'], pattern: '^[a-z]+$', minLength: 1, format: 'date' },
      tags: { type: 'array', items: { anyOf: [{ const: 1 }, { type: 'boolean' }] }, uniqueItems: true },
    },
    required: ['option'],
    additionalProperties: false,
  };
  expect(inputSchemaFault(schema)).toBeUndefined();
  expect(inputSchemaFault({ type: 'object' })).toBeUndefined();
});

const nested = (levels: number): object =>
  levels === 1 ? { type: 'object' } : { type: 'object', properties: { a: nested(levels - 1) } };
const long = (characters: number) => {
  const schema = { type: 'object', description: '' };
  schema.description = 'x'.repeat(characters - JSON.stringify(schema).length);
  return schema;
};

test('has limits', () => {
  expect(inputSchemaFault(nested(MAX_INPUT_SCHEMA_DEPTH))).toBeUndefined();
  expect(inputSchemaFault(nested(MAX_INPUT_SCHEMA_DEPTH + 1))).toContain('nested deeper');
  expect(inputSchemaFault(long(MAX_INPUT_SCHEMA_CHARACTERS))).toBeUndefined();
  expect(inputSchemaFault(long(MAX_INPUT_SCHEMA_CHARACTERS + 1))).toContain('characters');
});

const withPatterns = (count: number, pattern: string) => ({
  type: 'object',
  properties: Object.fromEntries(Array.from({ length: count }, (_, at) => [`p${at}`, { pattern }])),
});

test('all patterns together are as small as one', () => {
  const tooLarge = 'has patterns that are too large together';
  expect(inputSchemaFault(withPatterns(20, '\\pL'))).toBeUndefined();
  expect(inputSchemaFault(withPatterns(21, '\\pL'))).toBe(tooLarge);
  expect(inputSchemaFault(withPatterns(10, '^.{100}$'))).toBeUndefined();
  expect(inputSchemaFault(withPatterns(11, '^.{100}$'))).toBe(tooLarge);
  expect(inputSchemaFault(withPatterns(2, '(?i)^[a-z一-龥]+$'))).toBeUndefined();
  expect(inputSchemaFault(withPatterns(3, '(?i)^[a-z一-龥]+$'))).toBe(tooLarge);
  expect(inputSchemaFault(withPatterns(100, '^[a-z]-[0-9]$'))).toBeUndefined();
});

test.each<[string, unknown, string]>([
  ['a list', [], '"type": "object"'],
  ['another type', { type: 'string' }, '"type": "object"'],
  ['a reference', { type: 'object', $ref: 'https://evil.example/schema' }, 'unknown word "$ref"'],
  ['definitions', { type: 'object', $defs: {} }, 'unknown word'],
  ['a reference inside', { type: 'object', properties: { a: { $ref: '#' } } }, 'unknown word "$ref"'],
  ['a slow pattern', { type: 'object', properties: { a: { pattern: '(?=a)' } } }, 'pattern is too large'],
  ['a range without case', { type: 'object', pattern: '(?i)[!-\\x{10fff0}]' }, 'patterns that are too large'],
  ['a long pattern', { type: 'object', properties: { a: { pattern: 'a'.repeat(201) } } }, 'pattern must'],
  ['an unknown type', { type: 'object', properties: { a: { type: 'thing' } } }, 'type must be one of'],
  ['a boolean schema', { type: 'object', properties: { a: true } }, 'not a schema'],
  ['a prototype', JSON.parse('{"type":"object","properties":{"__proto__":{}}}'), '__proto__'],
  ['a prototype as a word', JSON.parse('{"type":"object","__proto__":{}}'), 'unknown word'],
  ['a word of objects', { type: 'object', constructor: {} }, 'unknown word "constructor"'],
  ['half a character', { type: 'object', title: '\ud800' }, 'surrogates'],
  ['NUL', { type: 'object', title: '\0' }, 'NUL'],
  ['an empty choice', { type: 'object', anyOf: [] }, 'at least one'],
  ['bounds that are not numbers', { type: 'object', minimum: '1' }, 'minimum must be a number'],
])('refuses %s', (_, schema, fault) => {
  expect(inputSchemaFault(schema)).toContain(fault);
});
