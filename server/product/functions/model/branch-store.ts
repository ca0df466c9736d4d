import { readThrowawayName } from '../../../lib/throwaway-names.ts';
import type { Db, PageRow } from '../../../platform/storage/index.ts';

/** SQL for the functions of branches. */

/** The function that a branch calls by this name. */
export async function findInBranch(db: Db, pageId: number, name: string): Promise<number | undefined> {
  const row = await db
    .selectFrom('functions')
    .select('id')
    .where('page_id', '=', pageId)
    .where('branch_slug', '=', name)
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
  return row?.id;
}

/** What a branch calls its functions, and the slugs that they have. */
export function listOfBranch(db: Db, pageId: number) {
  return db
    .selectFrom('functions')
    .select(['id', 'slug', 'version', 'database_id'])
    .select((eb) => eb.fn.coalesce('branch_slug', 'slug').as('name'))
    .where('page_id', '=', pageId)
    .orderBy('slug')
    .execute();
}

/** Functions that were made for a copy of a page and have left it, because what is tried there has no use for them. */
export async function listLeft(
  db: Db,
  { slug, owner_id }: Pick<PageRow, 'slug' | 'owner_id'>,
): Promise<Array<{ slug: string }>> {
  const name = readThrowawayName(slug);
  if (name === undefined) return [];
  return db
    .selectFrom('functions')
    .select('slug')
    .where('owner_id', '=', owner_id)
    .where('page_id', 'is', null)
    .where('slug', 'like', `%--${name}%`)
    .execute();
}
