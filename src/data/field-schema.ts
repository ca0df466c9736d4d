import { RE2JS } from 're2js';
import { z } from 'zod';
import { type Fault, text } from '../http/index.ts';
import { characterCount } from '../lib/text.ts';
import type { RecordData } from './record-data.ts';

/** A collection's schema: what its records must look like. */

const MAX_FIELDS = 200;
const MAX_PATTERN_CHARACTERS = 1_000;
const MAX_PATTERN_STEPS = 1_000;
/** Matching takes time by the pattern's steps times the text's length; this much is a few hundredths of a second. */
const MAX_MATCH_WORK = 5_000_000;
const MAX_NESTING = 8;

const length = z.int('must be a whole number').min(0, 'must not be negative');
const common = { required: z.boolean('must be true or false').optional() };

const pattern = text()
  .max(MAX_PATTERN_CHARACTERS, `must have at most ${MAX_PATTERN_CHARACTERS} characters`)
  .refine(
    (source) => compile(source) !== undefined,
    'is too large, or no regular expression that runs in linear time (RE2 has no look-around and no back-references)',
  );

const scalar = z.union([text(), z.number(), z.boolean()], {
  error: 'must be a string, a number, true or false',
});

export type FieldSchema =
  | { type: 'string'; required?: boolean; minLength?: number; maxLength?: number; pattern?: string }
  | { type: 'number'; required?: boolean; min?: number; max?: number }
  | { type: 'boolean'; required?: boolean }
  | { type: 'enum'; required?: boolean; values: Array<string | number | boolean> }
  | { type: 'array'; required?: boolean; items?: FieldSchema }
  | { type: 'object'; required?: boolean; properties?: Record<string, FieldSchema> }
  | { type: 'date'; required?: boolean };

const Field: z.ZodType<FieldSchema> = z.lazy(() =>
  z.discriminatedUnion(
    'type',
    [
      z.strictObject({
        type: z.literal('string'),
        ...common,
        minLength: length.optional(),
        maxLength: length.optional(),
        pattern: pattern.optional(),
      }),
      z.strictObject({
        type: z.literal('number'),
        ...common,
        min: z.number('must be a number').optional(),
        max: z.number('must be a number').optional(),
      }),
      z.strictObject({ type: z.literal('boolean'), ...common }),
      z.strictObject({
        type: z.literal('enum'),
        ...common,
        values: z
          .array(scalar)
          .min(1, 'must name at least one value')
          .max(1000, 'has more than 1,000 values'),
      }),
      z.strictObject({ type: z.literal('array'), ...common, items: Field.optional() }),
      z.strictObject({ type: z.literal('object'), ...common, properties: Fields.optional() }),
      z.strictObject({ type: z.literal('date'), ...common }),
    ],
    { error: 'type must be string, number, boolean, enum, array, object or date' },
  ),
) as z.ZodType<FieldSchema>;

const Fields = z
  .record(text().min(1, 'must not be empty').max(200, 'is longer than 200 characters'), Field)
  .refine((fields) => Object.keys(fields).length <= MAX_FIELDS, `has more than ${MAX_FIELDS} fields`);

export const CollectionSchema = z
  .strictObject({ fields: Fields, strict: z.boolean('must be true or false').optional() })
  .refine(({ fields }) => depthOf(fields) <= MAX_NESTING, `is nested deeper than ${MAX_NESTING} levels`);
export type CollectionSchema = z.infer<typeof CollectionSchema>;

/** Every fault of a whole record, or, of a change, of the fields it names. */
export function faultsOf(
  schema: CollectionSchema,
  data: RecordData,
  kind: 'whole record' | 'change',
): Fault[] {
  const faults: Fault[] = [];
  checkFields(schema.fields, data, { isWhole: kind === 'whole record', path: 'data', faults });
  if (schema.strict) {
    for (const name of Object.keys(data)) {
      if (!Object.hasOwn(schema.fields, name)) {
        faults.push({ path: `data.${name}`, message: 'is not a field of the schema' });
      }
    }
  }
  return faults;
}

interface Check {
  /** Fields that are not given count as missing. */
  isWhole: boolean;
  path: string;
  faults: Fault[];
}

function checkFields(fields: Record<string, FieldSchema>, data: RecordData, check: Check): void {
  for (const [name, field] of Object.entries(fields)) {
    const isGiven = Object.hasOwn(data, name);
    if (!isGiven && !check.isWhole) continue;
    const value = isGiven ? data[name] : undefined;
    const path = `${check.path}.${name}`;
    if (value !== null && value !== undefined) checkField(field, value, { ...check, isWhole: true, path });
    else if (field.required) check.faults.push({ path, message: 'is required' });
  }
}

function checkField(field: FieldSchema, value: unknown, check: Check): void {
  for (const message of messagesOf(field, value)) check.faults.push({ path: check.path, message });
  if (field.type === 'array' && field.items && Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      checkField(field.items, item, { ...check, path: `${check.path}.${index}` });
    }
  }
  if (field.type === 'object' && field.properties && isObject(value)) {
    checkFields(field.properties, value, check);
  }
}

/** What is wrong with a value itself; what is in it is looked at by itself. */
function messagesOf(field: FieldSchema, value: unknown): string[] {
  switch (field.type) {
    case 'string':
      return typeof value === 'string' ? textMessages(field, value) : ['must be a string'];
    case 'number':
      if (typeof value !== 'number') return ['must be a number'];
      if (value < (field.min ?? value)) return [`must be at least ${field.min}`];
      return value > (field.max ?? value) ? [`must be at most ${field.max}`] : [];
    case 'boolean':
      return typeof value === 'boolean' ? [] : ['must be true or false'];
    case 'enum':
      return field.values.includes(value as string) ? [] : [`must be one of ${field.values.join(', ')}`];
    case 'array':
      return Array.isArray(value) ? [] : ['must be an array'];
    case 'object':
      return isObject(value) ? [] : ['must be an object'];
    case 'date':
      return typeof value === 'string' && isIsoDate(value)
        ? []
        : ['must be a date in ISO 8601, like 2026-01-31 or 2026-01-31T12:00:00Z'];
  }
}

function textMessages(field: Extract<FieldSchema, { type: 'string' }>, value: string): string[] {
  const messages: string[] = [];
  const count = characterCount(value);
  if (count < (field.minLength ?? 0)) messages.push(`must have at least ${field.minLength} characters`);
  if (count > (field.maxLength ?? count)) messages.push(`must have at most ${field.maxLength} characters`);
  if (field.pattern === undefined) return messages;
  const compiled = compile(field.pattern);
  if (!compiled || compiled.programSize() * value.length > MAX_MATCH_WORK) {
    messages.push(`is too long to be matched with ${field.pattern}`);
  } else if (!compiled.matcher(value).find()) {
    messages.push(`must match ${field.pattern}`);
  }
  return messages;
}

function isObject(value: unknown): value is RecordData {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const ISO_DATE = /^(\d{4})-(\d{2})-(\d{2})(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})?)?$/;

function isIsoDate(value: string): boolean {
  const [, year, month, day] = ISO_DATE.exec(value) ?? [];
  if (!year || Number.isNaN(Date.parse(value))) return false;
  // Date.parse takes the 31st of February for the 3rd of March.
  return Number(day) <= new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate();
}

/** Patterns run in linear time, whatever the pattern: https://github.com/google/re2/wiki/WhyRE2 */
function compile(source: string): RE2JS | undefined {
  try {
    const compiled = RE2JS.compile(source);
    return compiled.programSize() <= MAX_PATTERN_STEPS ? compiled : undefined;
  } catch {
    return undefined;
  }
}

function depthOf(fields: Record<string, FieldSchema>): number {
  const inner = Object.values(fields).map((field): number => {
    if (field.type === 'array') return field.items ? depthOf({ items: field.items }) : 0;
    return field.type === 'object' && field.properties ? depthOf(field.properties) : 0;
  });
  return 1 + Math.max(0, ...inner);
}
