import { toTokens } from '../../../../contract/rules/credit-amounts.ts';
import type { Db, Tx } from '../../../platform/storage/index.ts';

/** SQL for what functions spend on AI, in tokens of the ledger. The owner's account is locked while these change. */

const DAY_MS = 24 * 60 * 60 * 1000;

/** The limit of a function in credits, and what it has used of it on the day of a moment. */
export async function readAiUse(db: Db, functionId: number, at: number) {
  const row = await db
    .selectFrom('functions')
    .leftJoin('function_ai_use', (join) =>
      join
        .onRef('function_ai_use.function_id', '=', 'functions.id')
        .on('function_ai_use.day', '=', toDay(at)),
    )
    .select(['ai_daily_credits', 'tokens'])
    .where('functions.id', '=', functionId)
    .executeTakeFirst();
  return { limit: row?.ai_daily_credits ?? 0, usedTokens: row?.tokens ?? 0 };
}

const toDay = (moment: number) => Math.floor(moment / DAY_MS);
/** Seconds until the next day begins. */
export const secondsToNextDay = (moment: number) => Math.ceil((DAY_MS - (moment % DAY_MS)) / 1000);

/** The limits that functions have for a day. */
export const functionLimits = {
  async remaining(db: Db, functionId: number, at: number): Promise<number> {
    const { limit, usedTokens } = await readAiUse(db, functionId, at);
    return Math.max(0, toTokens(limit) - usedTokens);
  },

  /** Adds a reservation to what a function has used. The first one of a day begins with nothing. */
  async use(tx: Tx, functionId: number, at: number, tokens: number): Promise<void> {
    const day = toDay(at);
    await tx
      .insertInto('function_ai_use')
      .values({ function_id: functionId, day, tokens })
      .onConflict((conflict) =>
        conflict.column('function_id').doUpdateSet((eb) => ({
          day,
          tokens: eb
            .case()
            .when('function_ai_use.day', '=', day)
            .then(eb('function_ai_use.tokens', '+', tokens))
            .else(tokens)
            .end(),
        })),
      )
      .execute();
  },

  /** Gives back the unspent rest of a reservation, unless the function has begun another day since. */
  async giveBack(tx: Tx, functionId: number, at: number, tokens: number): Promise<void> {
    await tx
      .updateTable('function_ai_use')
      .set((eb) => ({ tokens: eb('tokens', '-', tokens) }))
      .where('function_id', '=', functionId)
      .where('day', '=', toDay(at))
      .execute();
  },
};
