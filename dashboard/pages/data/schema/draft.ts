import {
  RULED_ACTIONS,
  RULES,
  type Rule,
  type RuledAction,
  type Rules,
} from '../../../../contract/data/collection-rules.ts';
import { t } from '../../../texts/index.ts';
import { readScalars, type Scalar, writeScalars } from '../../../values/index.ts';
import { type CollectionSchema, type FieldSchema, isObject } from '../api.ts';

/** A schema as the form edits it. Parts that the form does not know are kept unchanged. */

export const TYPES = [
  ['string', t('Text')],
  ['number', t('Number')],
  ['boolean', t('Yes or no')],
  ['enum', t('One of a list')],
  ['date', t('Date')],
  ['array', t('List')],
  ['object', t('Object')],
] as const;
export type FieldType = FieldSchema['type'];

/** The limits of each type, stored as text. */
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
  /** The schema of items and properties, and everything that the form does not know. */
  rest: Record<string, unknown>;
}

export interface SchemaDraft {
  strict: boolean;
  fields: FieldDraft[];
  rules: Rules;
  /** The paths of the fields that lists are filtered or ordered by. */
  indexes: string[];
  /** The paths of the texts that are searched. */
  search: string[];
}

export const EMPTY_SCHEMA: CollectionSchema = { fields: {} };

/** Undefined if the form cannot show the schema. */
export function toDraft(schema: unknown): SchemaDraft | undefined {
  if (!isObject(schema) || !isObject(schema.fields)) return undefined;
  const { fields, strict, rules = {}, indexes = [], search = [] } = schema;
  const drafts = Object.entries(fields).map(([name, field], key) => toField(key, name, field));
  if (drafts.includes(undefined) || !['undefined', 'boolean'].includes(typeof strict)) return undefined;
  if (!areRules(rules) || !areTexts(indexes) || !areTexts(search)) return undefined;
  return { strict: strict === true, fields: drafts as FieldDraft[], rules, indexes, search };
}

const areTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((each) => typeof each === 'string');

function areRules(rules: unknown): rules is Rules {
  const isKnown = ([action, rule]: [string, unknown]) =>
    RULED_ACTIONS.includes(action as RuledAction) && RULES.includes(rule as Rule);
  return isObject(rules) && Object.entries(rules).every(isKnown);
}

function toField(key: number, name: string, field: unknown): FieldDraft | undefined {
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

/** The schema of a form. It may be incomplete; the service checks it. */
export function toSchema({ strict, fields, rules, indexes, search }: SchemaDraft): Record<string, unknown> {
  const entries = fields.map(({ name, type, required, limits, rest }) => {
    const given = LIMITS[type].filter((limit) => limits[limit]?.trim());
    const read = given.map((limit) => [limit, readLimit(limit, limits[limit] ?? '')]);
    return [name, { type, ...(required && { required }), ...Object.fromEntries(read), ...rest }];
  });
  const isRuled = Object.keys(rules).length > 0;
  return {
    fields: Object.fromEntries(entries),
    ...(strict && { strict }),
    ...(isRuled && { rules }),
    ...(indexes.length > 0 && { indexes }),
    ...(search.length > 0 && { search }),
  };
}

/** Changes the type, and removes the limits and items of the old type. */
export function withType(field: FieldDraft, type: FieldType): FieldDraft {
  return { ...field, type, limits: {}, rest: {} };
}

/** Errors in field names, by the key of the field. */
export function namesAtFault({ fields }: SchemaDraft): Map<number, string> {
  const faults = new Map<number, string>();
  const seen = new Set<string>();
  for (const { key, name } of fields) {
    if (name === '') faults.set(key, t('Enter a name.'));
    else if (seen.has(name)) faults.set(key, t('Another field already has this name.'));
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
