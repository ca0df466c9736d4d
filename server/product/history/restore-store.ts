import type { Db, RestoreRow, Tx } from '../../platform/storage/index.ts';

/** SQL for restores. */

/** Begins a restore, in place of the last one of the page. Undefined while another one runs. */
export async function insertRestore(
  tx: Tx,
  row: Pick<
    RestoreRow,
    'page_id' | 'user_id' | 'at' | 'parts' | 'collections' | 'merge' | 'started_at' | 'claimed_until'
  >,
): Promise<RestoreRow | undefined> {
  await tx
    .deleteFrom('restores')
    .where('page_id', '=', row.page_id)
    .where('finished_at', 'is not', null)
    .execute();
  return tx
    .insertInto('restores')
    .values({ ...row, step: 'moment' })
    .onConflict((conflict) => conflict.column('page_id').where('finished_at', 'is', null).doNothing())
    .returningAll()
    .executeTakeFirst();
}

export async function updateRestore(
  db: Db,
  id: number,
  changes: Partial<Omit<RestoreRow, 'id'>>,
): Promise<void> {
  await db.updateTable('restores').set(changes).where('id', '=', id).execute();
}

export async function deleteRestore(db: Db, id: number): Promise<void> {
  await db.deleteFrom('restores').where('id', '=', id).execute();
}

/** The last restore of a page, with the username of who began it. */
export function findLastRestore(db: Db, pageId: number) {
  return db
    .selectFrom('restores')
    .leftJoin('users', 'users.id', 'restores.user_id')
    .selectAll('restores')
    .select('users.username as by')
    .where('page_id', '=', pageId)
    .orderBy('restores.id', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/** Whether a restore of a page runs. */
export async function isRestored(db: Db, pageId: number): Promise<boolean> {
  const running = await db
    .selectFrom('restores')
    .select('id')
    .where('page_id', '=', pageId)
    .where('finished_at', 'is', null)
    .executeTakeFirst();
  return running !== undefined;
}

/** The restores that have not ended. There are few. */
export function listRunning(db: Db): Promise<RestoreRow[]> {
  return db.selectFrom('restores').selectAll().where('finished_at', 'is', null).execute();
}

/** Takes over a restore whose node was lost. False if another node has it. */
export async function claimRestore(
  db: Db,
  { id, claimed_until }: RestoreRow,
  until: number,
): Promise<boolean> {
  const [claimed] = await db
    .updateTable('restores')
    .set({ claimed_until: until })
    .where('id', '=', id)
    .where('claimed_until', '=', claimed_until)
    .where('finished_at', 'is', null)
    .execute();
  return claimed !== undefined && claimed.numUpdatedRows > 0n;
}
