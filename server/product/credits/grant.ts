import { toTokens } from '../../../contract/rules/credit-amounts.ts';
import type { Db, Tx } from '../../platform/storage/index.ts';
import { assertTokens } from './amounts.ts';
import { insertAccount, insertTransfer, lockAccount } from './store.ts';

export interface Grant {
  userId: number;
  tokens: number;
  /** The reason for the grant, which the user sees. */
  reason: string;
  now: number;
}

/** Gives a user tokens. Returns the new balance; undefined if there is no such user. */
export function grant(db: Db | Tx, given: Grant): Promise<number | undefined> {
  assertTokens(given.tokens, 1);
  return db.isTransaction ? grantIn(db as Tx, given) : db.transaction().execute((tx) => grantIn(tx, given));
}

async function grantIn(tx: Tx, { userId, tokens, reason, now }: Grant): Promise<number | undefined> {
  if (!(await lockAccount(tx, userId))) return undefined;
  const id = Bun.randomUUIDv7('hex', now);
  return insertTransfer(
    tx,
    { id, kind: 'grant', user_id: userId, reason, created_at: now },
    { issued: -tokens, available: tokens },
  );
}

/** Opens a new user's account with the initial credits. */
export async function openCreditAccount(
  tx: Tx,
  { userId, credits, now }: { userId: number; credits: number; now: number },
): Promise<void> {
  await insertAccount(tx, userId);
  if (credits > 0) await grant(tx, { userId, tokens: toTokens(credits), reason: 'Opening balance', now });
}
