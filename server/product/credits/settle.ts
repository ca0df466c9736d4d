import { assertTokens } from './amounts.ts';
import type { SpendingLedger } from './context.ts';
import { FEATURES, type Feature } from './reserve.ts';
import { deleteReservation, findHolder, insertTransfer, lockAccount, unuseConsent } from './store.ts';

/** The result of ending a reservation. */
export interface Settlement {
  /** False if the reservation had already been settled or released, so that nothing changed. */
  isFirst: boolean;
  chargedTokens: number;
  /** The new balance of the user. */
  balanceTokens: number;
}

/** Charges what was used, at most what was reserved, and returns the rest. Only the first call counts. */
export function settle(
  { db, now, tokenLimits, functionLimits }: SpendingLedger,
  reservationId: string,
  usedTokens: number,
): Promise<Settlement> {
  assertTokens(usedTokens, 0);
  return db.transaction().execute(async (tx) => {
    const userId = await findHolder(tx, reservationId);
    const account = userId === undefined ? undefined : await lockAccount(tx, userId);
    const reservation = account && (await deleteReservation(tx, reservationId));
    if (!reservation) {
      return { isFirst: false, chargedTokens: 0, balanceTokens: account?.balance_tokens ?? 0 };
    }

    const { user_id, page_id, feature, tokens, function_id, function_at } = reservation;
    const charged = Math.min(usedTokens, tokens);
    const rest = tokens - charged;
    if (reservation.is_consented === 1 && page_id !== null) await unuseConsent(tx, user_id, page_id, rest);
    if (reservation.token_id !== null) await tokenLimits.giveBack(tx, reservation.token_id, rest);
    if (function_id !== null && function_at !== null)
      await functionLimits.giveBack(tx, function_id, function_at, rest);
    const at = now();
    const balanceTokens = await insertTransfer(
      tx,
      {
        id: Bun.randomUUIDv7('hex', at),
        // A user's history shows only what was spent.
        kind: charged > 0 ? 'settle' : 'release',
        user_id,
        page_id,
        feature,
        reason: FEATURES[feature as Feature],
        created_at: at,
      },
      { held: -tokens, available: rest, spent: charged },
    );
    return { isFirst: true, chargedTokens: charged, balanceTokens };
  });
}

/** Returns all reserved tokens, because the work did not happen. */
export function release(context: SpendingLedger, reservationId: string): Promise<Settlement> {
  return settle(context, reservationId, 0);
}
