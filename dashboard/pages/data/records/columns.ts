import type { CollectionSchema, DataRecord } from '../api.ts';

/** More columns would not be readable. */
const MAX_COLUMNS = 30;

/** The fields that get a column: first those of the schema, then those of the records. */
export function fieldsOf(
  records: DataRecord[],
  schema: CollectionSchema | null,
): { fields: string[]; hidden: number; all: string[] } {
  const names = new Set(Object.keys(schema?.fields ?? {}));
  for (const { data } of records) for (const name of Object.keys(data)) names.add(name);
  const all = [...names];
  return { fields: all.slice(0, MAX_COLUMNS), hidden: Math.max(0, all.length - MAX_COLUMNS), all };
}

/** True if the API can sort by the field: dots mean nested fields, and other characters would need escaping. */
export const isSortable = (name: string) =>
  name !== '' && !name.includes('.') && name.length <= 200 && JSON.stringify(name) === `"${name}"`;
