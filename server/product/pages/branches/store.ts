import type { Db } from '../../../platform/storage/index.ts';

/** SQL for pages that are branches of others. */

export async function listBranchIds(db: Db, pageId: number): Promise<number[]> {
  const rows = await db
    .selectFrom('pages')
    .select('id')
    .where('branch_of', '=', pageId)
    .orderBy('id')
    .execute();
  return rows.map(({ id }) => id);
}
