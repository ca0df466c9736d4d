import type { Schema } from '../../../server/sites/docs-site/index.ts';
import { type Document, follow } from './document.ts';
import type { Random } from './random.ts';

/** Generates values that match a schema. */

const DEEPEST = 6;
const TEXTS = [
  '',
  'a',
  'hello',
  'Grüße aus Köln',
  '日本語',
  '👩‍👩‍👧',
  'a b\tc\nd',
  '"quoted" \\ {{PAGE_ID}} </script>',
  '0',
  'null',
  '  ',
];
/** For patterns: the first few that match are used. */
const CANDIDATES = [
  'a',
  'abc',
  'notes',
  'tasks_2',
  'hello-world',
  'a1',
  'KEY',
  'API_KEY_2',
  'ada@example.com',
  '42',
  '1',
  'not_found',
];

export function fittingValue(schema: Schema, document: Document, random: Random, depth = 0): unknown {
  const own = follow(document, schema);
  if (own.const !== undefined) return own.const;
  if (own.enum) return random.pick(own.enum);
  const members = own.anyOf ?? own.oneOf;
  if (members) return fittingValue(random.pick(members), document, random, depth);
  const type = Array.isArray(own.type) ? random.pick(own.type) : own.type;
  switch (type) {
    case 'object':
      return makeObject(own, document, random, depth);
    case 'array':
      return makeArray(own, document, random, depth);
    case 'string':
      return makeText(own, random);
    case 'integer':
    case 'number':
      return makeNumber(own, random, type === 'integer');
    case 'boolean':
      return random.chance(0.5);
    case 'null':
      return null;
    default:
      return anyValue(random, depth);
  }
}

function makeObject(schema: Schema, document: Document, random: Random, depth: number): unknown {
  const { properties = {}, required = [], additionalProperties } = schema;
  const wanted = Object.entries(properties).filter(
    ([name]) => required.includes(name) || (depth < DEEPEST && random.chance(0.4)),
  );
  const made = Object.fromEntries(
    wanted.map(([name, property]) => [name, fittingValue(property, document, random, depth + 1)]),
  );
  if (typeof additionalProperties === 'object' && depth < DEEPEST) {
    for (let i = random.int(0, 3); i > 0; i--) {
      made[`k${random.int(0, 20)}`] = fittingValue(additionalProperties, document, random, depth + 1);
    }
  }
  if (Object.keys(properties).length === 0 && additionalProperties === undefined) {
    for (let i = random.int(0, 3); i > 0; i--) made[`f${random.int(0, 9)}`] = anyValue(random, depth + 1);
  }
  return made;
}

function makeArray(schema: Schema, document: Document, random: Random, depth: number): unknown[] {
  const { minItems = 0, maxItems = minItems + 3, items } = schema;
  const most = depth < DEEPEST ? Math.min(maxItems, minItems + 3) : minItems;
  const each = typeof items === 'object' ? items : {};
  return Array.from({ length: random.int(minItems, most) }, () =>
    fittingValue(each, document, random, depth + 1),
  );
}

function makeText(schema: Schema, random: Random): string {
  const { format, pattern, minLength = 0, maxLength = 200 } = schema;
  if (format === 'date-time') return new Date(Date.now() + random.int(1, 1e9)).toISOString();
  if (format === 'uuid') return '0190a6f4-7e1b-7c3d-8a4e-5b6c7d8e9f00';
  if (format === 'email') return `${random.word()}@example.com`;
  if (format === 'uri') return 'https://example.com/';
  if (pattern) {
    const fits = new RegExp(pattern, 'u');
    const fitting = CANDIDATES.filter((text) => fits.test(text) && text.length >= minLength);
    if (fitting.length > 0) return random.pick(fitting);
  }
  const text = random.chance(0.5) ? random.pick(TEXTS) : random.word(random.int(1, 30));
  const enough =
    text.length >= minLength && text.trim() !== '' ? text : text.trim().padEnd(Math.max(minLength, 1), 'x');
  return [...enough].slice(0, maxLength).join('');
}

function makeNumber(schema: Schema, random: Random, isWhole: boolean): number {
  const { minimum = -1000, maximum = 1000 } = schema;
  const bounds = [schema.minimum, schema.maximum].filter((bound) => bound !== undefined);
  if (bounds.length > 0 && random.chance(0.3)) return random.pick(bounds);
  const most = Math.min(maximum, minimum + 1000);
  return isWhole ? random.int(minimum, most) : minimum + random.next() * (most - minimum);
}

/** Any JSON value. */
export function anyValue(random: Random, depth = 0): unknown {
  const leaf = () => random.pick<unknown>([null, true, false, 0, -1, 1.5, 1e15, ...TEXTS]);
  if (depth >= DEEPEST || random.chance(0.6)) return leaf();
  if (random.chance(0.5)) return Array.from({ length: random.int(0, 3) }, () => anyValue(random, depth + 1));
  return Object.fromEntries(
    Array.from({ length: random.int(0, 3) }, () => [`f${random.int(0, 9)}`, anyValue(random, depth + 1)]),
  );
}
