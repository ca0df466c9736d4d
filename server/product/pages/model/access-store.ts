import { sql } from 'kysely';
import { type Sizes, sizeAt, toSizes } from '../../../lib/sizes.ts';
import type { Db, Tx } from '../../../platform/storage/index.ts';

/** SQL for who can see pages. */

export async function findPasswordHash(db: Db, pageId: number): Promise<string | undefined> {
  const row = await db
    .selectFrom('page_access')
    .select('password_hash')
    .where('page_id', '=', pageId)
    .executeTakeFirst();
  return row?.password_hash;
}

/** Sets the hash of a page's password, or removes it. */
export async function savePasswordHash(tx: Tx, pageId: number, hash: string | undefined): Promise<void> {
  if (hash === undefined) {
    await tx.deleteFrom('page_access').where('page_id', '=', pageId).execute();
    return;
  }
  await tx
    .insertInto('page_access')
    .values({ page_id: pageId, password_hash: hash })
    .onConflict((conflict) => conflict.column('page_id').doUpdateSet({ password_hash: hash }))
    .execute();
}

export async function listPeople(db: Db, pageId: number): Promise<string[]> {
  const rows = await db
    .selectFrom('page_people')
    .select('name')
    .where('page_id', '=', pageId)
    .orderBy('name')
    .execute();
  return rows.map(({ name }) => name);
}

/** Whether one of these names is on the list of a page. */
export async function isAmongPeople(db: Db, pageId: number, names: string[]): Promise<boolean> {
  const row = await db
    .selectFrom('page_people')
    .select('name')
    .where('page_id', '=', pageId)
    .where('name', 'in', names)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Replaces the list of people who can see a page. */
export async function savePeople(tx: Tx, pageId: number, names: readonly string[]): Promise<void> {
  await tx.deleteFrom('page_people').where('page_id', '=', pageId).execute();
  if (names.length === 0) return;
  await tx
    .insertInto('page_people')
    .values(names.map((name) => ({ page_id: pageId, name })))
    .execute();
}

/** The bytes of the list of people of a page. */
export const peopleSize = async (db: Db, pageId: number): Promise<number> =>
  sizeAt(await measurePeople(db, [pageId]), pageId);

/** The bytes of the lists of people of pages. */
export async function measurePeople(db: Db, pageIds: number[]): Promise<Sizes> {
  const query = db
    .selectFrom('page_people')
    .select(['page_id as id', sql<number>`sum(octet_length(name))`.as('bytes')]);
  return toSizes(await query.where('page_id', 'in', pageIds).groupBy('page_id').execute());
}

/** The lists that have a name, with the owners of their pages. */
export function listPagesWith(tx: Tx, name: string) {
  return tx
    .selectFrom('page_people')
    .innerJoin('pages', 'pages.id', 'page_people.page_id')
    .select(['page_people.page_id', 'pages.owner_id'])
    .where('page_people.name', '=', name)
    .execute();
}

/** Replaces a name on every list. */
export async function replaceName(tx: Tx, from: string, to: string): Promise<void> {
  const listed = tx.selectFrom('page_people').select('page_id').where('name', '=', from);
  // If a list has both names, one is enough.
  await tx.deleteFrom('page_people').where('name', '=', to).where('page_id', 'in', listed).execute();
  await tx.updateTable('page_people').set({ name: to }).where('name', '=', from).execute();
}
