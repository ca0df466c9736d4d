import { REMOVED_USER } from '../../../../contract/accounts/removed-user.ts';
import type { Db, Tx } from '../../../platform/storage/index.ts';
import type { SpendingLedger } from '../context.ts';
import { release } from '../settle.ts';
import { lockAccount } from '../store.ts';

/** Ends all reservations of a user. Work in progress is not charged. */
export async function releaseHeld(context: SpendingLedger, userId: number): Promise<void> {
  for (const { id } of await listReservations(context.db, userId)) await release(context, id);
}

const listReservations = (db: Db, userId: number) =>
  db.selectFrom('credit_reservations').select('id').where('user_id', '=', userId).execute();

/**
 * Keeps the ledger of a user as numbers without a name: its transfers and the balance go to the account of all removed
 * users, so that every sum stays right. False if something is reserved: then nothing is changed.
 */
export async function moveLedger(tx: Tx, userId: number): Promise<boolean> {
  const account = await lockAccount(tx, userId);
  if (!account) return true;
  if (account.held_tokens > 0 || (await listReservations(tx, userId)).length > 0) return false;
  await tx
    .insertInto('credit_accounts')
    .values({ user_id: REMOVED_USER.id, balance_tokens: account.balance_tokens })
    .onConflict((conflict) =>
      conflict.column('user_id').doUpdateSet((eb) => ({
        balance_tokens: eb('credit_accounts.balance_tokens', '+', account.balance_tokens),
      })),
    )
    .execute();
  await tx
    .updateTable('ledger_transfers')
    .set((eb) => ({
      user_id: REMOVED_USER.id,
      // Administrators may have written a name into the reason of a grant.
      reason: eb.case().when('kind', '=', 'grant').then('Granted').else(eb.ref('reason')).end(),
    }))
    .where('user_id', '=', userId)
    .execute();
  await tx.deleteFrom('credit_consents').where('user_id', '=', userId).execute();
  await tx.deleteFrom('publish_consents').where('user_id', '=', userId).execute();
  await tx.deleteFrom('credit_accounts').where('user_id', '=', userId).execute();
  return true;
}
