import { type BranchRow, countRows, type Db, type Tx } from '../../platform/storage/index.ts';
import { listAllBases } from './bases.ts';

/** SQL for branches. */

export async function insertBranch(
  tx: Tx,
  row: Omit<BranchRow, 'warned_at' | 'used_views' | 'base_page_id' | 'bases'>,
): Promise<BranchRow> {
  return tx.insertInto('branches').values(row).returningAll().executeTakeFirstOrThrow();
}

export function findBranch(db: Db, pageId: number, name: string): Promise<BranchRow | undefined> {
  return db
    .selectFrom('branches')
    .selectAll()
    .where('of_page_id', '=', pageId)
    .where('name', '=', name)
    .executeTakeFirst();
}

export function findBranchByPage(db: Db, pageId: number): Promise<BranchRow | undefined> {
  return db.selectFrom('branches').selectAll().where('page_id', '=', pageId).executeTakeFirst();
}

/** The branches of a page, without those that are removed by themselves. */
export function listBranches(db: Db, pageId: number): Promise<BranchRow[]> {
  return db
    .selectFrom('branches')
    .selectAll()
    .where('of_page_id', '=', pageId)
    .where('expires_at', 'is', null)
    .orderBy('created_at')
    .orderBy('page_id')
    .execute();
}

export function countBranches(db: Db, pageId: number): Promise<number> {
  return countRows(
    db.selectFrom('branches').where('of_page_id', '=', pageId).where('expires_at', 'is', null),
  );
}

export function countThrowaways(db: Db, pageId: number): Promise<number> {
  return countRows(
    db.selectFrom('branches').where('of_page_id', '=', pageId).where('expires_at', 'is not', null),
  );
}

export async function updateBranch(
  db: Db,
  pageId: number,
  changes: Partial<Omit<BranchRow, 'page_id'>>,
): Promise<void> {
  await db.updateTable('branches').set(changes).where('page_id', '=', pageId).execute();
}

/** Branches that are being made. There are few. */
export function listUnfinished(db: Db): Promise<BranchRow[]> {
  return db.selectFrom('branches').selectAll().where('step', '!=', 'ready').execute();
}

/** Takes over a branch whose node was lost. False if another node has it. */
export async function claimBranch(
  db: Db,
  { page_id, claimed_until }: BranchRow,
  until: number,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('branches')
    .set({ claimed_until: until })
    .where('page_id', '=', page_id)
    .where('claimed_until', '=', claimed_until)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export async function listExpired(db: Db, now: number): Promise<number[]> {
  const rows = await db.selectFrom('branches').select('page_id').where('expires_at', '<=', now).execute();
  return rows.map(({ page_id }) => page_id);
}

/** Notes that the owner of a branch is told that it will be deleted. False if another node did so first, or it was used. */
export async function noteWarning(
  tx: Tx,
  { page_id, used_at }: BranchRow,
  warnedAt: number,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('branches')
    .set({ warned_at: warnedAt })
    .where('page_id', '=', page_id)
    .where('used_at', '=', used_at)
    .where('warned_at', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Branches of these pages that are deleted soon because nobody uses them, the next one first. */
export async function listWarned(
  db: Db,
  pageIds: number[],
  limit: number,
): Promise<Array<Pick<BranchRow, 'page_id' | 'of_page_id' | 'name'> & { warned_at: number }>> {
  if (pageIds.length === 0) return [];
  return db
    .selectFrom('branches')
    .select(['page_id', 'of_page_id', 'name'])
    .select((eb) => eb.ref('warned_at').$notNull().as('warned_at'))
    .where('of_page_id', 'in', pageIds)
    .where('warned_at', 'is not', null)
    .orderBy('warned_at')
    .limit(limit)
    .execute();
}

/** Branches after this one, for a sweep. */
export function listAfter(db: Db, after: number, limit: number): Promise<BranchRow[]> {
  return db
    .selectFrom('branches')
    .selectAll()
    .where('page_id', '>', after)
    .where('expires_at', 'is', null)
    .orderBy('page_id')
    .limit(limit)
    .execute();
}

/** The times of the moments that branches are compared with, by page. */
export async function listBases(db: Db): Promise<Map<number, number[]>> {
  const rows = await db
    .selectFrom('branches')
    .select(['page_id', 'of_page_id', 'base_at', 'base_page_id', 'bases'])
    .execute();
  const found = new Map<number, number[]>();
  for (const row of rows)
    for (const { pageId, at } of listAllBases(row)) found.set(pageId, [...(found.get(pageId) ?? []), at]);
  return found;
}

/** The branches of a page, or the one that it is. */
export function listAbout(db: Db, pageId: number): Promise<BranchRow[]> {
  return db
    .selectFrom('branches')
    .selectAll()
    .where((eb) => eb.or([eb('of_page_id', '=', pageId), eb('page_id', '=', pageId)]))
    .execute();
}
