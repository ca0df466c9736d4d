import { compilePattern, isModest } from '../pattern.ts';
import { isStorable, withCommas } from '../text.ts';

/**
 * The JSON Schema of what a tool takes. Owners write it, and programs of strangers read and run it: so it is small, it
 * refers to nothing, and only words with a known cost are allowed.
 */

export const MAX_INPUT_SCHEMA_CHARACTERS = 8 * 1024;
export const MAX_INPUT_SCHEMA_DEPTH = 8;
const MAX_PATTERN_CHARACTERS = 200;

type Fields = Record<string, unknown>;
/** What is wrong with a value, as the rest of a sentence; undefined if nothing is. */
type Check = (value: unknown) => string | undefined;

const TYPES = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'];

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isType = (value: unknown) => typeof value === 'string' && TYPES.includes(value);

const unless = (isRight: (value: unknown) => boolean, fault: string): Check => {
  return (value) => (isRight(value) ? undefined : fault);
};
const text = unless((value) => typeof value === 'string', 'must be a string');
const number = unless(Number.isFinite, 'must be a number');
const count = unless(
  (value) => Number.isSafeInteger(value) && Number(value) >= 0,
  'must be a whole number from 0',
);
const items = unless(
  (value) => Array.isArray(value) && value.length > 0,
  'must be a list with at least one item',
);
const anything: Check = () => undefined;

/** Words of JSON Schema whose value is not a schema, with the check of the value. */
const VALUES: Record<string, Check> = {
  type: unless(
    (value) => isType(value) || (Array.isArray(value) && value.length > 0 && value.every(isType)),
    `must be one of ${TYPES.join(', ')}`,
  ),
  required: unless(
    (value) => Array.isArray(value) && value.every((name) => typeof name === 'string'),
    'must be a list of names',
  ),
  enum: items,
  const: anything,
  default: anything,
  examples: items,
  title: text,
  description: text,
  format: text,
  pattern: (value) => {
    if (typeof value !== 'string' || value.length > MAX_PATTERN_CHARACTERS)
      return `must be a string of at most ${MAX_PATTERN_CHARACTERS} characters`;
    return compilePattern(value)
      ? undefined
      : 'is too large, or no regular expression that runs in linear time (RE2 has no look-around and no back-references)';
  },
  minimum: number,
  maximum: number,
  exclusiveMinimum: number,
  exclusiveMaximum: number,
  multipleOf: number,
  minLength: count,
  maxLength: count,
  minItems: count,
  maxItems: count,
  uniqueItems: unless((value) => typeof value === 'boolean', 'must be true or false'),
};

/** Words of JSON Schema with schemas in their value: returns these schemas, or what is wrong with the value. */
const NESTED: Record<string, (value: unknown) => unknown[] | string> = {
  properties: (value) => {
    if (!isObject(value)) return 'must be an object';
    return Object.hasOwn(value, '__proto__')
      ? 'must not have a property called __proto__'
      : Object.values(value);
  },
  additionalProperties: (value) => (typeof value === 'boolean' ? [] : [value]),
  items: (value) => [value],
  anyOf: (value) => items(value) ?? (value as unknown[]),
  oneOf: (value) => items(value) ?? (value as unknown[]),
};

/** What is wrong with the schema of an input, as the rest of a sentence; undefined if nothing is. */
export function inputSchemaFault(schema: unknown): string | undefined {
  const text = JSON.stringify(schema) ?? '';
  if (text.length > MAX_INPUT_SCHEMA_CHARACTERS)
    return `has more than ${withCommas(MAX_INPUT_SCHEMA_CHARACTERS)} characters`;
  if (!isStorableInside(schema)) return 'must not contain NUL characters or unpaired surrogates';
  if (!isObject(schema) || schema.type !== 'object') return 'must have "type": "object"';
  // Before any is compiled: each alone may be small enough.
  if (!isModest(listPatterns(schema).join('\n'))) return 'has patterns that are too large together';
  return check(schema, 1);
}

function isStorableInside(value: unknown): boolean {
  if (typeof value === 'string') return isStorable(value);
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([name, inner]) => isStorable(name) && isStorableInside(inner));
}

function listPatterns(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([word, inner]) =>
    word === 'pattern' && typeof inner === 'string' ? [inner] : listPatterns(inner),
  );
}

function check(schema: unknown, depth: number): string | undefined {
  if (depth > MAX_INPUT_SCHEMA_DEPTH) return `is nested deeper than ${MAX_INPUT_SCHEMA_DEPTH} levels`;
  if (!isObject(schema)) return 'has a part that is not a schema';
  for (const [word, value] of Object.entries(schema)) {
    const fault = Object.hasOwn(NESTED, word) ? checkInside(word, value, depth) : checkValue(word, value);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function checkValue(word: string, value: unknown): string | undefined {
  if (!Object.hasOwn(VALUES, word)) return `has the unknown word ${JSON.stringify(word.slice(0, 40))}`;
  const fault = VALUES[word]?.(value);
  return fault && `has a fault: ${word} ${fault}`;
}

function checkInside(word: string, value: unknown, depth: number): string | undefined {
  const inside = NESTED[word]?.(value) ?? [];
  if (typeof inside === 'string') return `has a fault: ${word} ${inside}`;
  for (const schema of inside) {
    const fault = check(schema, depth + 1);
    if (fault !== undefined) return fault;
  }
  return undefined;
}
