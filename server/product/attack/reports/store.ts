import type { Insertable } from 'kysely';
import type { Db, Tables, Tx } from '../../../platform/storage/index.ts';

/** SQL for the last attacks on pages, and for findings that are meant so. */

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

/** Writes the report of an attack in place of the last one, unless that was about a later version. */
export async function upsertReport(tx: Tx, row: Insertable<Tables['attack_reports']>): Promise<void> {
  await tx
    .insertInto('attack_reports')
    .values(row)
    .onConflict((conflict) =>
      conflict.column('page_id').doUpdateSet(row).where('attack_reports.version', '<=', row.version),
    )
    .execute();
}

export function findReport(db: Db, pageId: number) {
  return db.selectFrom('attack_reports').selectAll().where('page_id', '=', pageId).executeTakeFirst();
}

/** Those of these pages in which the last attack has found something serious, the latest first. */
export function listSeriousKeys(db: Db, pageIds: number[]) {
  if (pageIds.length === 0) return [];
  return db
    .selectFrom('attack_reports')
    .select(['page_id', 'version', 'serious'])
    .where('page_id', 'in', pageIds)
    .where('serious', '!=', '')
    .orderBy('attacked_at', 'desc')
    .execute();
}

export function listMeantKeys(db: Db, pageIds: number[]) {
  if (pageIds.length === 0) return [];
  return db
    .selectFrom('attack_findings')
    .select(['page_id', 'finding_key'])
    .where('page_id', 'in', pageIds)
    .execute();
}
