import { isIndexable } from '../../../../../contract/data/index-fields.ts';
import { isObject } from '../../../../../contract/rules/record-data.ts';
import type { CollectionSchema } from '../../api.ts';

/** A list that takes longer than this reads many records. */
export const SLOW_MS = 1_000;

/** The field that a list is ordered or filtered by, and that could have an index but has none. */
export function findUnindexed(
  schema: CollectionSchema | null,
  { orderBy, where }: { orderBy: string; where: string | undefined },
): string | undefined {
  const ordered = orderBy.startsWith('data.') ? [orderBy.slice('data.'.length)] : [];
  const condition: unknown = where === undefined ? {} : JSON.parse(where);
  const filtered = isObject(condition) ? Object.keys(condition) : [];
  return [...ordered, ...filtered].find(
    (field) => schema && isIndexable(schema.fields, field) && !schema.indexes?.includes(field),
  );
}
