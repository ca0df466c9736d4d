/** Balances are kept in tokens, as integers, and shown in credits. */
export const TOKENS_PER_CREDIT = 2_500;

/** What a picture costs, in credits: to generate one, and to recognize what is on one. A chat costs its tokens. */
export const PICTURE_PRICES = { generation: 4, recognition: 1 };

/** Credits that the owner of a branch pays in a day (UTC): for its visitors, and for the AI of each of its functions. */
export const BRANCH_CREDITS_PER_DAY = 100;

/** What an embedding costs: one of its tokens counts as this many tokens of a chat. */
export const EMBEDDING_FACTOR = 0.1;

/** Tokens as credits, exactly: a token is 0.0004 credits, so no amount has more than four decimals. */
export const toCredits = (tokens: number): number => tokens / TOKENS_PER_CREDIT;

/** Whole credits as tokens. */
export const toTokens = (credits: number): number => credits * TOKENS_PER_CREDIT;
