import { sql } from 'kysely';
import type { Db } from '../../../platform/storage/index.ts';

/** SQL for agent specs. */

export function findSpec(db: Db, pageId: number) {
  return db.selectFrom('agent_specs').selectAll().where('page_id', '=', pageId).executeTakeFirst();
}

/** The size of a page's spec. */
export async function findSpecSize(db: Db, pageId: number): Promise<number> {
  const row = await db
    .selectFrom('agent_specs')
    .select(sql<number>`octet_length(spec)`.as('size'))
    .where('page_id', '=', pageId)
    .executeTakeFirst();
  return row?.size ?? 0;
}

export function saveSpec(db: Db, pageId: number, spec: string, now: number) {
  return db
    .insertInto('agent_specs')
    .values({ page_id: pageId, spec, created_at: now, updated_at: now })
    .onConflict((conflict) => conflict.column('page_id').doUpdateSet({ spec, updated_at: now }))
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function deleteSpec(db: Db, pageId: number): Promise<void> {
  await db.deleteFrom('agent_specs').where('page_id', '=', pageId).execute();
}
