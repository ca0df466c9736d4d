import { MAX_SHARED_PAGES } from '../../../../contract/pages/shared-pages.ts';
import type { Db } from '../../../platform/storage/index.ts';

/** SQL for pages that are shared with somebody. */

/** Lists the pages that only named people can see, and that name one of these people. */
export async function listPagesNaming(db: Db, names: string[]): Promise<number[]> {
  const rows = await db
    .selectFrom('page_people')
    .innerJoin('pages', 'pages.id', 'page_people.page_id')
    .select('page_id')
    .distinct()
    .where('page_people.name', 'in', names)
    .where('access_mode', '=', 'people')
    .orderBy('page_id', 'desc')
    .limit(MAX_SHARED_PAGES)
    .execute();
  return rows.map(({ page_id }) => page_id);
}

/** Lists pages of other people, last changed first. */
export function listPagesOfOthers(db: Db, ids: number[], userId: number) {
  return db
    .selectFrom('pages')
    .innerJoin('users', 'users.id', 'pages.owner_id')
    .select(['pages.id', 'name', 'slug', 'owner_id', 'storage_mode', 'is_published', 'pages.updated_at'])
    .select(['branch_of', 'access_mode', 'access_stamp', 'access_expires_at'])
    .select(['taken_down_at', 'taken_down_reason', 'owner_blocked_at', 'claim_hash', 'users.username'])
    .where('pages.id', 'in', ids)
    .where('owner_id', '!=', userId)
    .orderBy('pages.updated_at', 'desc')
    .orderBy('pages.id', 'desc')
    .execute();
}
export type PageOfOther = Awaited<ReturnType<typeof listPagesOfOthers>>[number];
