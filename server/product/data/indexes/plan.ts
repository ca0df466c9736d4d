import type { Db } from '../../../platform/storage/index.ts';
import type { Condition, Path } from '../queries/where.ts';
import { ALL, isSingle, type Range, toRanges } from './ranges.ts';
import { countRanges, type Entries } from './store.ts';

/** Decides which index answers a query. */

/** Records that can be read one by one, in a query that does not delay others. */
export const FEW = 5_000;
/** Entries that can be sorted by their records in a few milliseconds. */
const MANY = 50_000;
/** Beyond this part of a collection, reading all of it is faster than reading records one by one. */
const LARGE_PART = 1 / 4;
/** The most entries that several ranges are merged from. */
const MAX_MERGED = 20_000;

/** A query for which an index could be used. */
export interface IndexedQuery {
  /** The user that the records count for; 0 for all users. */
  userId: number;
  condition: Condition | undefined;
  /** Whether the reader can see only some of the records that have entries. */
  isFiltered: boolean;
  /** All records that count for this user. */
  records: number;
}

/** A ready index. */
interface ReadyIndex {
  id: number;
  field: string;
}

/** An index, with the entries that can match the condition. */
interface Usable {
  entries: Entries;
  field: string;
  ranges: Range[];
  count: number;
  /** True if exactly the records of these entries match. */
  isExact: boolean;
}

/** Where to read a list from. */
export type ListPlan =
  /** Entries in the order of the list. */
  | { kind: 'walk'; entries: Entries; ranges: Range[]; by: 'key' | 'age'; isExact: boolean; isQuick: boolean }
  /** All records of some entries, which are then sorted. */
  | { kind: 'gather'; entries: Entries; ranges: Range[] };

/** The indexes on fields of the condition, with the entries that can match it. The one with the fewest entries comes first. */
export async function findUsable(
  db: Db,
  indexes: ReadyIndex[],
  { condition, isFiltered, userId }: IndexedQuery,
): Promise<Usable[]> {
  if (!condition) return [];
  const usable: Usable[] = [];
  for (const { id, field } of indexes) {
    const found = toRanges(condition, field);
    if (!found) continue;
    const entries = { indexId: id, userId };
    const count = await countRanges(db, entries, found.ranges);
    const isExact = found.isExact && !isFiltered;
    usable.push({ entries, field, ranges: found.ranges, count, isExact });
  }
  return usable.sort((a, b) => a.count - b.count);
}

/** How to read a list. Undefined if no index helps. */
export function planList(
  indexes: ReadyIndex[],
  usable: Usable[],
  query: IndexedQuery,
  { orderBy, end }: { orderBy: 'created_at' | 'updated_at' | Path; end: number },
): ListPlan | undefined {
  const [best] = usable;
  const isMergeable = (ranges: Range[]) => ranges.length <= 1 || ranges.length * end <= MAX_MERGED;
  const gather = (most: number): ListPlan | undefined =>
    best && best.count <= most ? { kind: 'gather', ...best } : undefined;
  if (orderBy === 'created_at') return best && planByAge(best, isMergeable, gather);
  const field = typeof orderBy === 'string' ? undefined : orderBy.join('.');
  const index = indexes.find((each) => each.field === field);
  if (!index) return gather(Math.max(FEW, query.records * LARGE_PART));
  const own = usable.find((each) => each.field === field);
  const isExact = own ? own.isExact : query.condition === undefined && !query.isFiltered;
  const few = isExact ? undefined : gather(FEW);
  if (few) return few;
  const ranges = own?.ranges ?? [ALL];
  if (!isMergeable(ranges)) return undefined;
  const entries = { indexId: index.id, userId: query.userId };
  return { kind: 'walk', entries, ranges, by: 'key', isExact, isQuick: isExact };
}

function planByAge(
  best: Usable,
  isMergeable: (ranges: Range[]) => boolean,
  gather: (most: number) => ListPlan | undefined,
): ListPlan | undefined {
  const { entries, ranges, isExact, count } = best;
  const walk: ListPlan = { kind: 'walk', entries, ranges, by: 'age', isExact, isQuick: false };
  const few = isExact ? undefined : gather(FEW);
  if (few) return few;
  if (ranges.every(isSingle) && isMergeable(ranges)) return { ...walk, isQuick: isExact };
  if (isExact && count <= MANY && isMergeable(ranges)) return walk;
  return gather(FEW);
}

/** How to count. Undefined if no index helps. */
export function planCount(
  [best]: Usable[],
  { records }: IndexedQuery,
): { count: number } | { gather: Usable } | undefined {
  if (!best) return undefined;
  if (best.isExact) return { count: best.count };
  return best.count <= Math.max(FEW, records * LARGE_PART) ? { gather: best } : undefined;
}
