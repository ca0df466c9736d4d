/** Balances are kept in tokens, as integers, and shown in credits. */
export const TOKENS_PER_CREDIT = 2_500;

/** What a picture costs, in credits: to have it made, and to have it looked at. A chat costs its tokens. */
export const PICTURE_PRICES = { generation: 4, recognition: 1 };

/** Exact: a token is 0.0004 credits, so that no amount has more than four decimals. */
export const toCredits = (tokens: number): number => tokens / TOKENS_PER_CREDIT;

/** Whole credits as tokens. */
export const toTokens = (credits: number): number => credits * TOKENS_PER_CREDIT;

/** Amounts come from our own code and from parsed values; a fraction here would be a bug that costs somebody money. */
export function assertTokens(tokens: number, atLeast: 0 | 1): void {
  if (Number.isSafeInteger(tokens) && tokens >= atLeast) return;
  throw new RangeError(`${tokens} is no amount of tokens: whole, and ${atLeast} or more`);
}
