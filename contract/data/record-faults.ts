import { type Fault, MAX_FAULTS, toFault } from '../errors.ts';
import { createMatcher, type Matcher } from '../rules/pattern.ts';
import { isObject, type RecordData } from '../rules/record-data.ts';
import { characterCount } from '../rules/text.ts';
import { phrase, type Text } from '../rules/texts/fill.ts';
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
        note(faults, `data.${name}`, phrase('is not a field of the schema'));
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

function note(faults: Fault[], path: string, text: Text): void {
  const cut = (long: string) =>
    long.length > MAX_MESSAGE_LETTERS ? `${long.slice(0, MAX_MESSAGE_LETTERS)}…` : long;
  if (faults.length >= MAX_FAULTS) return;
  const { message, ...key } = toFault(cut(path), text);
  // A message that had to be cut stays in English.
  faults.push(
    message.length > MAX_MESSAGE_LETTERS ? { path: key.path, message: cut(message) } : { ...key, message },
  );
}

function checkFields(fields: Record<string, FieldSchema>, data: RecordData, check: Check): void {
  for (const [name, field] of Object.entries(fields)) {
    const isGiven = Object.hasOwn(data, name);
    if (!isGiven && !check.isWhole) continue;
    const value = isGiven ? data[name] : undefined;
    const path = `${check.path}.${name}`;
    if (value !== null && value !== undefined) checkField(field, value, { ...check, isWhole: true, path });
    else if (field.required) note(check.faults, path, phrase('is required'));
  }
}

function checkField(field: FieldSchema, value: unknown, check: Check): void {
  for (const text of checkValue(field, value, check.match)) note(check.faults, check.path, text);
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
function checkValue(field: FieldSchema, value: unknown, match: Matcher): Text[] {
  switch (field.type) {
    case 'string':
      return typeof value === 'string' ? faultsOfText(field, value, match) : [phrase('must be a string')];
    case 'number':
      if (typeof value !== 'number') return [phrase('must be a number')];
      if (value < (field.min ?? value)) return [phrase('must be at least {min}', { min: String(field.min) })];
      return value > (field.max ?? value)
        ? [phrase('must be at most {max}', { max: String(field.max) })]
        : [];
    case 'boolean':
      return typeof value === 'boolean' ? [] : [phrase('must be true or false')];
    case 'enum':
      return field.values.includes(value as string)
        ? []
        : [phrase('must be one of {values}', { values: field.values.slice(0, 20).join(', ') })];
    case 'array':
      return Array.isArray(value) ? [] : [phrase('must be an array')];
    case 'object':
      return isObject(value) ? [] : [phrase('must be an object')];
    case 'date':
      return typeof value === 'string' && isIsoDate(value)
        ? []
        : [phrase('must be a date in ISO 8601, like 2026-01-31 or 2026-01-31T12:00:00Z')];
  }
}

function faultsOfText(
  field: Extract<FieldSchema, { type: 'string' }>,
  value: string,
  match: Matcher,
): Text[] {
  const texts: Text[] = [];
  const count = characterCount(value);
  const { minLength = 0, maxLength = count } = field;
  if (count < minLength)
    texts.push(phrase('must have at least {min} characters', { min: String(minLength) }));
  if (count > maxLength) texts.push(phrase('must have at most {max} characters', { max: String(maxLength) }));
  if (field.pattern === undefined) return texts;
  const { pattern } = field;
  const outcome = match(pattern, value);
  if (outcome === 'too long') texts.push(phrase('is too long to be matched with {pattern}', { pattern }));
  if (outcome === 'differs') texts.push(phrase('must match {pattern}', { pattern }));
  return texts;
}

const ISO_DATE = /^(\d{4})-(\d{2})-(\d{2})(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})?)?$/;

function isIsoDate(value: string): boolean {
  const [, year, month, day] = ISO_DATE.exec(value) ?? [];
  if (!year || Number.isNaN(Date.parse(value))) return false;
  // Date.parse takes the 31st of February for the 3rd of March.
  return Number(day) <= new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate();
}
