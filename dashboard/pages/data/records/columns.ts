import type { CollectionSchema, DataRecord } from '../api.ts';

/** More would be no table any more. */
const MAX_COLUMNS = 30;

/** The fields that get a column: those of the schema, then those found, in the order they were met. */
export function fieldsOf(
  records: DataRecord[],
  schema: CollectionSchema | null,
): { fields: string[]; hidden: number; all: string[] } {
  const names = new Set(Object.keys(schema?.fields ?? {}));
  for (const { data } of records) for (const name of Object.keys(data)) names.add(name);
  const all = [...names];
  return { fields: all.slice(0, MAX_COLUMNS), hidden: Math.max(0, all.length - MAX_COLUMNS), all };
}

/** Names that an address can ask for: no dots, which lead inwards, and nothing JSON would have to escape. */
export const isAskable = (name: string) =>
  name !== '' && !name.includes('.') && name.length <= 200 && JSON.stringify(name) === `"${name}"`;
