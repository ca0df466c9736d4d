import type { Db } from '../../../platform/storage/index.ts';
import { FEW, findUsable, type IndexedQuery, type ListPlan, planCount, planList } from '../indexes/plan.ts';
import { listIndexes } from '../indexes/store.ts';
import type { Condition, Path } from '../queries/where.ts';
import { countOwnUpTo } from './store.ts';

interface PlannerContext {
  db: Db;
  rebuildIndexes(collectionId: number): Promise<void>;
}

/** Plans the parts of one query. */
export interface QueryPlanner {
  planList(list: {
    orderBy: 'created_at' | 'updated_at' | Path;
    /** How many records the list has up to the end of the part. */
    end: number;
  }): ListPlan | undefined;
  planCount(): ReturnType<typeof planCount>;
}

/** Plans a query with the indexes that are ready. Undefined if there are none. */
export async function findPlanner(
  { db, rebuildIndexes }: PlannerContext,
  collection: { id: number; records: number; is_followed: number },
  { author, ...query }: { userId: number; condition: Condition | undefined; author: number | undefined },
): Promise<QueryPlanner | undefined> {
  const indexes = (await listIndexes(db, collection.id)).filter(
    ({ kind, state }) => kind === 'field' && state === 'ready',
  );
  if (indexes.length === 0) return undefined;
  if (collection.is_followed === 0) {
    await rebuildIndexes(collection.id);
    return undefined;
  }
  const asked: IndexedQuery = {
    ...query,
    isFiltered: author !== undefined,
    records: collection.records,
  };
  // The records of one author have an index of their own, which is better if they are few.
  if (author !== undefined && (await countOwnUpTo(db, collection.id, author, FEW)) < FEW) return undefined;
  const usable = await findUsable(db, indexes, asked);
  return {
    planList: (list) => planList(indexes, usable, asked, list),
    planCount: () => planCount(usable, asked),
  };
}
