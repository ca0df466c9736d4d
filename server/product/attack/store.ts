import type { Db } from '../../platform/storage/index.ts';

/** SQL for findings that are meant so. */

/** Different findings of a page that can be meant so. */
export const MAX_MEANT = 200;

export function listMeant(db: Db, pageId: number) {
  return db
    .selectFrom('attack_findings')
    .innerJoin('users', 'users.id', 'attack_findings.meant_by')
    .select(['attack_findings.finding_key', 'attack_findings.meant_at', 'users.username'])
    .where('page_id', '=', pageId)
    .execute();
}

export async function addMeant(
  db: Db,
  meant: { pageId: number; key: string; by: number; now: number },
): Promise<void> {
  await db
    .insertInto('attack_findings')
    .values({ page_id: meant.pageId, finding_key: meant.key, meant_by: meant.by, meant_at: meant.now })
    .onConflict((conflict) => conflict.columns(['page_id', 'finding_key']).doNothing())
    .execute();
}

export async function removeMeant(db: Db, pageId: number, key: string): Promise<void> {
  await db
    .deleteFrom('attack_findings')
    .where('page_id', '=', pageId)
    .where('finding_key', '=', key)
    .execute();
}
