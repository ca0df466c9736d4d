import type { Choice, ColumnType } from '../../../grid/index.ts';
import { type CollectionSchema, type DataRecord, type FieldSchema, isObject } from '../api.ts';

/** More columns would not be readable. */
const MAX_COLUMNS = 30;

/** The fields that get a column: first those of the schema, then those of the records. */
export function listFields(
  records: DataRecord[],
  schema: CollectionSchema | null,
): { fields: string[]; hidden: number; all: string[] } {
  const names = new Set(Object.keys(schema?.fields ?? {}));
  for (const { data } of records) for (const name of Object.keys(data)) names.add(name);
  const all = [...names];
  return { fields: all.slice(0, MAX_COLUMNS), hidden: Math.max(0, all.length - MAX_COLUMNS), all };
}

/** True if the API can sort and filter by the field: dots mean nested fields, and other characters would need escaping. */
export const isSortable = (name: string) =>
  name !== '' && !name.includes('.') && name.length <= 200 && JSON.stringify(name) === `"${name}"`;

const TYPES: Record<FieldSchema['type'], ColumnType> = {
  string: 'text',
  number: 'number',
  boolean: 'boolean',
  enum: 'choice',
  date: 'date',
  array: 'list',
  object: 'object',
};

/** The type of a column: by the schema, otherwise by the values that are shown. */
export function chooseColumnType(
  field: string,
  schema: CollectionSchema | null,
  records: DataRecord[],
): { type: ColumnType; choices?: Choice[] } {
  const known = schema && Object.hasOwn(schema.fields, field) ? schema.fields[field] : undefined;
  if (known?.type === 'enum') return { type: 'choice', choices: known.values };
  if (known) return { type: TYPES[known.type] };
  const types = new Set(records.map(({ data }) => typeOfValue(data[field])));
  types.delete(undefined);
  const [only] = types;
  return { type: types.size === 1 && only ? only : 'any' };
}

const DATE = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})?)?$/;

export function typeOfValue(value: unknown): ColumnType | undefined {
  if (value === undefined || value === null) return undefined;
  if (Array.isArray(value)) return 'list';
  if (isObject(value)) return 'object';
  if (typeof value === 'string') return DATE.test(value) ? 'date' : 'text';
  return typeof value === 'number' ? 'number' : 'boolean';
}
