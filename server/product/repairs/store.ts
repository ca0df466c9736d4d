import { countRows, type Db, type RepairRow, type Tx } from '../../platform/storage/index.ts';

/** SQL for repairs. */

export async function insertRepair(tx: Tx, row: RepairRow): Promise<void> {
  await tx.insertInto('repairs').values(row).execute();
}

export function findRepair(db: Db, pageId: number, id: string): Promise<RepairRow | undefined> {
  return db
    .selectFrom('repairs')
    .selectAll()
    .where('page_id', '=', pageId)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** The repairs of a page, the last one first. */
export function listRepairs(db: Db, pageId: number, limit: number): Promise<RepairRow[]> {
  return db
    .selectFrom('repairs')
    .selectAll()
    .where('page_id', '=', pageId)
    .orderBy('started_at', 'desc')
    .orderBy('id')
    .limit(limit)
    .execute();
}

/** The repairs that a person began and that ended after a moment, the last one first. */
export function listEnded(db: Db, userId: number, moment: number, limit: number): Promise<RepairRow[]> {
  return db
    .selectFrom('repairs')
    .selectAll()
    .where('created_by', '=', userId)
    .where('ended_at', '>', moment)
    .orderBy('ended_at', 'desc')
    .orderBy('id')
    .limit(limit)
    .execute();
}

export function countSince(db: Db, pageId: number, moment: number): Promise<number> {
  return countRows(db.selectFrom('repairs').where('page_id', '=', pageId).where('started_at', '>', moment));
}

export function findUnderWay(db: Db, pageId: number): Promise<RepairRow | undefined> {
  return db
    .selectFrom('repairs')
    .selectAll()
    .where('page_id', '=', pageId)
    .where('state', '!=', 'ended')
    .limit(1)
    .executeTakeFirst();
}

export async function updateRepair(
  db: Db,
  id: string,
  changes: Partial<Omit<RepairRow, 'id' | 'page_id'>>,
): Promise<void> {
  await db.updateTable('repairs').set(changes).where('id', '=', id).execute();
}

/** Says that a repair is still under way. False if it has to stop. */
export async function renewRepair(db: Db, id: string, until: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('repairs')
    .set({ claimed_until: until })
    .where('id', '=', id)
    .where('state', '=', 'running')
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Asks for the end of a repair. False if it has ended. */
export async function stopRepair(db: Db, id: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('repairs')
    .set({ state: 'stopping' })
    .where('id', '=', id)
    .where('state', '!=', 'ended')
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Repairs that have not ended. There are few. */
export function listUnfinished(db: Db): Promise<RepairRow[]> {
  return db.selectFrom('repairs').selectAll().where('state', 'in', ['running', 'stopping']).execute();
}

/** Takes over a repair whose node was lost. False if another node has done that. */
export async function claimRepair(db: Db, { id, claimed_until }: RepairRow, until: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('repairs')
    .set({ claimed_until: until })
    .where('id', '=', id)
    .where('state', '!=', 'ended')
    .where('claimed_until', '=', claimed_until)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export async function deleteRepair(db: Db, id: string): Promise<void> {
  await db.deleteFrom('repairs').where('id', '=', id).execute();
}

/** Removes repairs that began before a moment. Branches that they have left are pages of their own. */
export async function deleteBefore(db: Db, moment: number): Promise<void> {
  await db.deleteFrom('repairs').where('state', '=', 'ended').where('started_at', '<', moment).execute();
}
