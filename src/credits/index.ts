import type { Db, Tx } from '../storage/index.ts';

/** Balances are kept in tokens, as integers, and shown in credits. */
export const TOKENS_PER_CREDIT = 2_500;

/** Opens a new user's account with what the operator gives to begin with. */
export async function openCreditAccount(tx: Tx, userId: number, credits: number): Promise<void> {
  await tx
    .insertInto('credit_accounts')
    .values({ user_id: userId, balance_tokens: credits * TOKENS_PER_CREDIT })
    .execute();
}

/** What a user has, in credits. */
export async function creditsOf(db: Db, userId: number): Promise<number> {
  const account = await db
    .selectFrom('credit_accounts')
    .select('balance_tokens')
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow();
  return account.balance_tokens / TOKENS_PER_CREDIT;
}
