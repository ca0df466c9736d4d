import type { AdminPageQuery } from '../../../../contract/admin/content.ts';
import { contains, countRows, type Db, type Tx } from '../../../platform/storage/index.ts';

/** SQL for the administration of pages. */

export type ListedPage = NonNullable<Awaited<ReturnType<typeof findForAdministrators>>>;

const pages = (db: Db) => db.selectFrom('pages').innerJoin('users', 'users.id', 'pages.owner_id');

/** Lists pages, the newest first. Without those of `hidden`. */
export async function listForAdministrators(
  db: Db,
  { q, owner, slug, state, limit, offset }: AdminPageQuery,
  hidden: number | undefined,
) {
  let query = pages(db);
  if (hidden !== undefined) query = query.where('pages.owner_id', '!=', hidden);
  if (q) query = query.where(contains(q, ['name', 'slug']));
  if (slug !== undefined) query = query.where('slug', '=', slug);
  if (owner !== undefined) query = query.where('users.username', '=', owner);
  if (state === 'taken-down') query = query.where('taken_down_at', 'is not', null);
  if (state === 'blocked') query = query.where('owner_blocked_at', 'is not', null);
  if (state === 'unclaimed') query = query.where('claim_hash', 'is not', null);
  if (state === 'listed') query = query.where('listed_at', 'is not', null);
  if (state === 'published' || state === 'draft')
    query = query.where('is_published', '=', state === 'published' ? 1 : 0);
  const rows = await query
    .selectAll('pages')
    .select('users.username as owner')
    .orderBy('pages.id', 'desc')
    .limit(limit)
    .offset(offset)
    .execute();
  return { rows, total: await countRows(query) };
}

export async function listByIds(db: Db, ids: number[]): Promise<ListedPage[]> {
  if (ids.length === 0) return [];
  return pages(db)
    .selectAll('pages')
    .select('users.username as owner')
    .where('pages.id', 'in', ids)
    .execute();
}

export function findForAdministrators(db: Db, id: number) {
  return pages(db)
    .selectAll('pages')
    .select('users.username as owner')
    .where('pages.id', '=', id)
    .executeTakeFirst();
}

/** Blocks all pages of an owner, or unblocks them. Returns the ids of those that change. */
export async function setOwnerBlocked(tx: Tx, ownerId: number, at: number | null): Promise<number[]> {
  const rows = await tx
    .updateTable('pages')
    .set({ owner_blocked_at: at })
    .where('owner_id', '=', ownerId)
    .where('owner_blocked_at', at === null ? 'is not' : 'is', null)
    .returning('id')
    .execute();
  return rows.map(({ id }) => id);
}

/**
 * Takes the branches of a page down with it, or restores those that were. Returns their ids. `before` is when the page was
 * taken down until now. Call it after the page has changed: what makes a branch waits for that.
 */
export async function setBranchesTakenDown(
  tx: Tx,
  { id, before }: { id: number; before: number | null },
  down: { at: number; reason: string } | null,
): Promise<number[]> {
  const rows = await tx
    .updateTable('pages')
    .set({ taken_down_at: down?.at ?? null, taken_down_reason: down?.reason ?? null })
    .where('branch_of', '=', id)
    .where('taken_down_at', before === null ? 'is' : '=', before)
    .returning('id')
    .execute();
  return rows.map((row) => row.id);
}

/** Takes a page down, or restores it. Undefined if there is no such page, or it is not taken down. */
export function setTakenDown(tx: Tx, id: number, down: { at: number; reason: string } | null) {
  return tx
    .updateTable('pages')
    .set({ taken_down_at: down?.at ?? null, taken_down_reason: down?.reason ?? null })
    .where('id', '=', id)
    .$if(down === null, (query) => query.where('taken_down_at', 'is not', null))
    .returning(['id', 'slug', 'name', 'owner_id'])
    .executeTakeFirst();
}
