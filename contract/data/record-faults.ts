import { type Fault, MAX_FAULTS } from '../errors.ts';
import { createMatcher, type Matcher } from '../rules/pattern.ts';
import { isObject, type RecordData } from '../rules/record-data.ts';
import { characterCount } from '../rules/text.ts';
import type { CollectionSchema, FieldSchema } from './collection-schema.ts';

const MAX_MESSAGE_LETTERS = 200;

/** Finds the faults of a whole record, or of the fields that a change names. In a change, null removes a field. */
export function findFaults(
  schema: CollectionSchema,
  data: RecordData,
  kind: 'whole record' | 'change',
): Fault[] {
  const faults: Fault[] = [];
  const match = createMatcher();
  checkFields(schema.fields, data, { isWhole: kind === 'whole record', path: 'data', faults, match });
  if (schema.strict) {
    for (const [name, value] of Object.entries(data)) {
      const isRemoved = kind === 'change' && value === null;
      if (!isRemoved && !Object.hasOwn(schema.fields, name))
        note(faults, `data.${name}`, 'is not a field of the schema');
    }
  }
  return faults;
}

interface Check {
  /** True if the data is a whole record: fields that are not given are missing. */
  isWhole: boolean;
  path: string;
  faults: Fault[];
  match: Matcher;
}

function note(faults: Fault[], path: string, message: string): void {
  const cut = (text: string) =>
    text.length > MAX_MESSAGE_LETTERS ? `${text.slice(0, MAX_MESSAGE_LETTERS)}…` : text;
  if (faults.length < MAX_FAULTS) faults.push({ path: cut(path), message: cut(message) });
}

function checkFields(fields: Record<string, FieldSchema>, data: RecordData, check: Check): void {
  for (const [name, field] of Object.entries(fields)) {
    const isGiven = Object.hasOwn(data, name);
    if (!isGiven && !check.isWhole) continue;
    const value = isGiven ? data[name] : undefined;
    const path = `${check.path}.${name}`;
    if (value !== null && value !== undefined) checkField(field, value, { ...check, isWhole: true, path });
    else if (field.required) note(check.faults, path, 'is required');
  }
}

function checkField(field: FieldSchema, value: unknown, check: Check): void {
  for (const message of checkValue(field, value, check.match)) note(check.faults, check.path, message);
  if (field.type === 'array' && field.items && Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      if (check.faults.length >= MAX_FAULTS) return;
      checkField(field.items, item, { ...check, path: `${check.path}.${index}` });
    }
  }
  if (field.type === 'object' && field.properties && isObject(value)) {
    checkFields(field.properties, value, check);
  }
}

/** What is wrong with a value itself. The items of a list or object are checked separately. */
function checkValue(field: FieldSchema, value: unknown, match: Matcher): string[] {
  switch (field.type) {
    case 'string':
      return typeof value === 'string' ? textMessages(field, value, match) : ['must be a string'];
    case 'number':
      if (typeof value !== 'number') return ['must be a number'];
      if (value < (field.min ?? value)) return [`must be at least ${field.min}`];
      return value > (field.max ?? value) ? [`must be at most ${field.max}`] : [];
    case 'boolean':
      return typeof value === 'boolean' ? [] : ['must be true or false'];
    case 'enum':
      return field.values.includes(value as string)
        ? []
        : [`must be one of ${field.values.slice(0, 20).join(', ')}`];
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

function textMessages(
  field: Extract<FieldSchema, { type: 'string' }>,
  value: string,
  match: Matcher,
): string[] {
  const messages: string[] = [];
  const count = characterCount(value);
  if (count < (field.minLength ?? 0)) messages.push(`must have at least ${field.minLength} characters`);
  if (count > (field.maxLength ?? count)) messages.push(`must have at most ${field.maxLength} characters`);
  if (field.pattern === undefined) return messages;
  const outcome = match(field.pattern, value);
  if (outcome === 'too long') messages.push(`is too long to be matched with ${field.pattern}`);
  if (outcome === 'differs') messages.push(`must match ${field.pattern}`);
  return messages;
}

const ISO_DATE = /^(\d{4})-(\d{2})-(\d{2})(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})?)?$/;

function isIsoDate(value: string): boolean {
  const [, year, month, day] = ISO_DATE.exec(value) ?? [];
  if (!year || Number.isNaN(Date.parse(value))) return false;
  // Date.parse takes the 31st of February for the 3rd of March.
  return Number(day) <= new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate();
}
