import { type Choice, type ColumnType, chooseTitle } from '../../../grid/index.ts';
import type { CollectionSchema, DataRecord, FieldSchema } from '../api.ts';
import { typeOfValue } from './fields.ts';

/** More columns would not be readable. */
const MAX_COLUMNS = 30;

/** The fields that get a column, the title first. */
export function listFields(names: string[], title: string | undefined): { fields: string[]; hidden: number } {
  const all = title === undefined ? names : [title, ...names.filter((name) => name !== title)];
  return { fields: all.slice(0, MAX_COLUMNS), hidden: Math.max(0, all.length - MAX_COLUMNS) };
}

/** The field that reads like a title. */
export const chooseTitleField = (names: string[], schema: CollectionSchema | null, records: DataRecord[]) =>
  chooseTitle(
    names.map((key) => ({
      key,
      type: chooseColumnType(key, schema, records).type,
      samples: records.map(({ data }) => (Object.hasOwn(data, key) ? data[key] : undefined)),
    })),
  );

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
  const types = new Set(
    records.map(({ data }) => typeOfValue(Object.hasOwn(data, field) ? data[field] : undefined)),
  );
  types.delete(undefined);
  const [only] = types;
  return { type: types.size === 1 && only ? only : 'any' };
}
