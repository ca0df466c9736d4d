import { AppError } from '../../lib/errors.ts';
import type { Db, RestoreRow, Tx } from '../../platform/storage/index.ts';

/** SQL for restores. */

/** Another node has taken a restore over, because this one did not renew its claim in time. */
export class LostClaim extends AppError {
  constructor() {
    super(
      'UNAVAILABLE',
      'Another node goes on with this restore. Ask GET /api/pages/:id/restore how far it is.',
      {},
      { headers: { 'retry-after': '10' } },
    );
  }
}

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

/** What a node needs to show that a restore is still its own. */
export type Claim = Pick<RestoreRow, 'id' | 'claims'>;

/** Changes a restore. Fails if another node has taken it over, or has ended it. */
export async function updateRestore(
  db: Db,
  { id, claims }: Claim,
  changes: Partial<Omit<RestoreRow, 'id'>>,
): Promise<void> {
  const { numUpdatedRows } = await db
    .updateTable('restores')
    .set(changes)
    .where('id', '=', id)
    .where('claims', '=', claims)
    .where('finished_at', 'is', null)
    .executeTakeFirstOrThrow();
  if (numUpdatedRows === 0n) throw new LostClaim();
}

/** Fails if another node has a restore. In a transaction, none can take it over until that ends. */
export const holdClaim = (db: Db, claim: Claim) => updateRestore(db, claim, { claims: claim.claims });

/** Lets nobody try again before a time. */
export async function noteFailure(db: Db, { id, claims }: Claim, claimed_until: number): Promise<void> {
  await db
    .updateTable('restores')
    .set((eb) => ({ claimed_until, tries: eb('tries', '+', 1) }))
    .where('id', '=', id)
    .where('claims', '=', claims)
    .where('finished_at', 'is', null)
    .execute();
}

/** Deletes a restore of this node that has changed nothing yet. */
export async function deleteUnbegun(db: Db, { id, claims }: Claim): Promise<void> {
  await db
    .deleteFrom('restores')
    .where('id', '=', id)
    .where('claims', '=', claims)
    .where('step', 'in', ['moment', 'page'])
    .execute();
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

/** Takes over a restore whose node was lost. Undefined if another node has it. */
export function claimRestore(
  db: Db,
  { id, claimed_until }: RestoreRow,
  until: number,
): Promise<RestoreRow | undefined> {
  return db
    .updateTable('restores')
    .set((eb) => ({ claimed_until: until, claims: eb('claims', '+', 1) }))
    .where('id', '=', id)
    .where('claimed_until', '=', claimed_until)
    .where('finished_at', 'is', null)
    .returningAll()
    .executeTakeFirst();
}
