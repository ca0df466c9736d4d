import type { Db } from '../../../platform/storage/index.ts';

/** The views of these pages on each day since a day. Days without views are left out. */
export async function listDayViews(db: Db, pageIds: number[], since: number) {
  if (pageIds.length === 0) return [];
  return db
    .selectFrom('page_days')
    .select(['page_id', 'day', 'views'])
    .where('page_id', 'in', pageIds)
    .where('day', '>=', since)
    .where('views', '>', 0)
    .execute();
}
