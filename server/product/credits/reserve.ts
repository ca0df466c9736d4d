import type { Db } from '../../platform/storage/index.ts';
import { assertTokens } from './amounts.ts';
import type { Ledger } from './context.ts';
import { findMeans, insertReservation, insertTransfer, lockAccount, useConsent } from './store.ts';

/** What credits can be spent on, in words for the user's history. */
export const FEATURES = {
  ai: 'AI chat',
  image_gen: 'Image generation',
  image_recognition: 'Image recognition',
  preview_image: 'Preview image',
} as const;
export type Feature = keyof typeof FEATURES;

/** Why nothing is reserved. Consent comes first, even if credits are missing too. */
export type Refusal = 'consent required' | 'insufficient credits';

/** Who wants to spend, and on which page. */
export interface Spender {
  userId: number;
  pageId: number | null;
  /** True if a page asks and not its owner: then the user's consent for that page is needed too. */
  needsConsent: boolean;
}

export interface Wish extends Spender {
  feature: Feature;
  tokens: number;
}

/** How long a reservation lasts. Its server renews it while it runs (`renewal.ts`). */
export const RESERVATION_MS = 60 * 1000;

/** The most tokens that could be reserved right now. */
export async function affordable({ db }: Ledger, spender: Spender): Promise<number | Refusal> {
  const { balance, remaining } = await readMeans(db, spender);
  if (remaining === 0) return 'consent required';
  return balance === 0 ? 'insufficient credits' : Math.min(balance, remaining);
}

/** Reserves tokens for something that is about to happen. Settle or release them afterwards. */
export function reserve(
  { db, now }: Ledger,
  wish: Wish,
): Promise<{ reservationId: string; tokens: number } | Refusal> {
  const { userId, pageId, needsConsent, feature, tokens } = wish;
  assertTokens(tokens, 1);
  return db.transaction().execute(async (tx) => {
    await lockAccount(tx, userId);
    const { balance, remaining } = await readMeans(tx, wish);
    if (remaining < tokens) return 'consent required';
    if (balance < tokens) return 'insufficient credits';

    const at = now();
    const id = Bun.randomUUIDv7('hex', at);
    const about = { user_id: userId, page_id: pageId, feature };
    if (needsConsent && pageId !== null) await useConsent(tx, userId, pageId, tokens);
    await insertTransfer(
      tx,
      { id, kind: 'reserve', ...about, reason: FEATURES[feature], created_at: at },
      { available: -tokens, held: tokens },
    );
    const is_consented = needsConsent ? 1 : 0;
    await insertReservation(tx, { id, ...about, tokens, is_consented, expires_at: at + RESERVATION_MS });
    return { reservationId: id, tokens };
  });
}

async function readMeans(db: Db, { userId, pageId, needsConsent }: Spender) {
  const means = await findMeans(db, userId, pageId);
  const remaining = Math.max(0, (means.limit_tokens ?? 0) - (means.used_tokens ?? 0));
  return { balance: means.balance_tokens, remaining: needsConsent ? remaining : Number.POSITIVE_INFINITY };
}
