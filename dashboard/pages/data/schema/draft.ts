import { type CollectionSchema, type FieldSchema, isObject } from '../api.ts';
import { readScalars, type Scalar, writeScalars } from '../scalars.ts';

/** A schema as a form holds it. What the form has no control for travels along untouched. */

export const TYPES = [
  ['string', 'Text'],
  ['number', 'Number'],
  ['boolean', 'Yes or no'],
  ['enum', 'One of a list'],
  ['date', 'Date'],
  ['array', 'List'],
  ['object', 'Object'],
] as const;
export type FieldType = FieldSchema['type'];

/** The limits of each type, all kept as they were typed. */
export const LIMITS: Record<FieldType, readonly Limit[]> = {
  string: ['minLength', 'maxLength', 'pattern'],
  number: ['min', 'max'],
  enum: ['values'],
  boolean: [],
  date: [],
  array: [],
  object: [],
};
export type Limit = 'minLength' | 'maxLength' | 'pattern' | 'min' | 'max' | 'values';

export interface FieldDraft {
  key: number;
  name: string;
  type: FieldType;
  required: boolean;
  limits: Partial<Record<Limit, string>>;
  /** What is inside lists and objects, and whatever nobody knows. */
  rest: Record<string, unknown>;
}

export interface SchemaDraft {
  strict: boolean;
  fields: FieldDraft[];
}

export const EMPTY_SCHEMA: CollectionSchema = { fields: {} };

/** Undefined where a form cannot show it. */
export function draftOf(schema: unknown): SchemaDraft | undefined {
  if (!isObject(schema) || !isObject(schema.fields)) return undefined;
  const { fields, strict } = schema;
  const drafts = Object.entries(fields).map(([name, field], key) => fieldOf(key, name, field));
  if (drafts.includes(undefined) || !['undefined', 'boolean'].includes(typeof strict)) return undefined;
  return { strict: strict === true, fields: drafts as FieldDraft[] };
}

function fieldOf(key: number, name: string, field: unknown): FieldDraft | undefined {
  if (!isObject(field)) return undefined;
  const { type, required, ...rest } = field;
  if (!TYPES.some(([known]) => known === type)) return undefined;
  const limits: FieldDraft['limits'] = {};
  for (const limit of LIMITS[type as FieldType]) {
    if (rest[limit] === undefined) continue;
    limits[limit] = write(limit, rest[limit]);
    delete rest[limit];
  }
  return { key, name, type: type as FieldType, required: required === true, limits, rest };
}

/** The schema that a form says, complete or not: the service judges it. */
export function schemaOf({ strict, fields }: SchemaDraft): Record<string, unknown> {
  const entries = fields.map(({ name, type, required, limits, rest }) => {
    const given = LIMITS[type].filter((limit) => limits[limit]?.trim());
    const read = given.map((limit) => [limit, readLimit(limit, limits[limit] ?? '')]);
    return [name, { type, ...(required && { required }), ...Object.fromEntries(read), ...rest }];
  });
  return { fields: Object.fromEntries(entries), ...(strict && { strict }) };
}

/** Another type has other limits, and nothing of the old type's inside. */
export function withType(field: FieldDraft, type: FieldType): FieldDraft {
  return { ...field, type, limits: {}, rest: {} };
}

/** What the form itself can tell is wrong, by the field's key. */
export function namesAtFault({ fields }: SchemaDraft): Map<number, string> {
  const faults = new Map<number, string>();
  const seen = new Set<string>();
  for (const { key, name } of fields) {
    if (name === '') faults.set(key, 'Give the field a name.');
    else if (seen.has(name)) faults.set(key, 'There is another field of this name.');
    seen.add(name);
  }
  return faults;
}

function write(limit: Limit, value: unknown): string {
  return limit === 'values' && Array.isArray(value) ? writeScalars(value as Scalar[]) : String(value);
}

function readLimit(limit: Limit, typed: string): unknown {
  if (limit === 'values') return readScalars(typed);
  if (limit === 'pattern') return typed;
  const number = Number(typed);
  return Number.isNaN(number) ? typed : number;
}
