import { isIndexable } from '../../../../../contract/data/index-fields.ts';
import { isObject } from '../../../../../contract/rules/record-data.ts';
import { canUseIndex } from '../../../../../contract/rules/where-operators.ts';
import type { CollectionSchema } from '../../api.ts';

/** A list that takes longer than this reads many records. */
export const SLOW_MS = 1_000;

/** The field that a list is ordered or filtered by, and that could have an index but has none. */
export function findUnindexed(
  schema: CollectionSchema | null,
  { orderBy, where }: { orderBy: string; where: string | undefined },
): string | undefined {
  const ordered = orderBy.startsWith('data.') ? [orderBy.slice('data.'.length)] : [];
  const filtered = where === undefined ? [] : listUsableFields(JSON.parse(where));
  return [...ordered, ...filtered].find(
    (field) => schema && isIndexable(schema.fields, field) && !schema.indexes?.includes(field),
  );
}

/** The fields whose index could find the records of a filter. */
function listUsableFields(condition: unknown): string[] {
  if (!isObject(condition)) return [];
  return Object.entries(condition).flatMap(([name, asked]) => {
    if (name === 'and') return Array.isArray(asked) ? asked.flatMap(listUsableFields) : [];
    const tests = isObject(asked) ? Object.entries(asked) : [['eq', asked] as const];
    return tests.some(([operator, operand]) => canUseIndex(operator, operand)) ? [name] : [];
  });
}
