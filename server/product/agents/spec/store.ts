import { sql } from 'kysely';
import { type Sizes, sizeAt, toSizes } from '../../../lib/sizes.ts';
import type { Db } from '../../../platform/storage/index.ts';

/** SQL for agent specs. */

export function findSpec(db: Db, pageId: number) {
  return db.selectFrom('agent_specs').selectAll().where('page_id', '=', pageId).executeTakeFirst();
}

/** The bytes of the spec of a page. */
export const findSpecSize = async (db: Db, pageId: number): Promise<number> =>
  sizeAt(await measureSpecs(db, [pageId]), pageId);

/** The bytes of the specs of pages. */
export async function measureSpecs(db: Db, pageIds: number[]): Promise<Sizes> {
  const query = db
    .selectFrom('agent_specs')
    .select(['page_id as id', sql<number>`octet_length(spec)`.as('bytes')]);
  return toSizes(await query.where('page_id', 'in', pageIds).execute());
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
