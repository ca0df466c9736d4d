import type { Db, Tx } from '../../../platform/storage/index.ts';

/** SQL for the functions that belong to pages. */

/** A page that functions can belong to: those of its owner. */
export interface OwnedPage {
  id: number;
  owner_id: number;
  /** Set for a branch. */
  branch_of?: number | null;
}

/** The functions that belong to a page. */
export function listOfPage(db: Db, page: OwnedPage) {
  return db
    .selectFrom('functions')
    .select(['id', 'slug', 'is_public'])
    .where('page_id', '=', page.id)
    .where('owner_id', '=', page.owner_id)
    .orderBy('slug')
    .execute();
}

/** The code of the functions of a page, by what the page calls them, without their other files. */
export async function readCodeOfPage(db: Db, page: OwnedPage): Promise<Map<string, string>> {
  const rows = await db
    .selectFrom('functions')
    .select((eb) => ['code', eb.fn.coalesce('branch_slug', 'slug').as('name')])
    .where('page_id', '=', page.id)
    .where('owner_id', '=', page.owner_id)
    .orderBy('id')
    .execute();
  return new Map(rows.map(({ name, code }) => [name, code]));
}

/** Functions of an owner by slug, with the page that each belongs to, and what a branch calls or called them. */
export function listNamed(db: Db, ownerId: number, slugs: readonly string[]) {
  return db
    .selectFrom('functions')
    .select(['id', 'slug', 'is_public', 'page_id', 'branch_slug'])
    .where('slug', 'in', slugs)
    .where('owner_id', '=', ownerId)
    .orderBy('slug')
    .execute();
}

/** Makes functions that belong to no page belong to this one. Returns those that do now. */
export async function joinPage(tx: Tx, page: OwnedPage, ids: readonly number[]): Promise<number[]> {
  const joined = await tx
    .updateTable('functions')
    .set((eb) => ({
      page_id: page.id,
      branch_slug: page.branch_of == null ? null : eb.fn.coalesce('branch_slug', 'slug'),
    }))
    .where('id', 'in', ids)
    .where('owner_id', '=', page.owner_id)
    .where('page_id', 'is', null)
    .returning('id')
    .execute();
  return joined.map(({ id }) => id);
}

/** Makes functions of a page belong to none. What was a copy for a branch still runs on no schedule. */
export async function leavePage(tx: Tx, pageId: number, ids: readonly number[]): Promise<void> {
  await tx
    .updateTable('functions')
    .set({ page_id: null })
    .where('id', 'in', ids)
    .where('page_id', '=', pageId)
    .execute();
}
