import type { Db } from '../../platform/storage/index.ts';
import { assertTokens } from './amounts.ts';
import type { SpendingLedger } from './context.ts';
import {
  findMeans,
  insertReservation,
  insertTransfer,
  lockAccount,
  sumForVisitors,
  useConsent,
} from './store.ts';

/** The features that cost credits, in words for the user's history. */
export const FEATURES = {
  ai: 'AI chat',
  image_gen: 'Image generation',
  image_recognition: 'Image recognition',
  preview_image: 'Preview image',
  builder: 'Page builder',
  function_ai: 'AI in a function',
} as const;
export type Feature = keyof typeof FEATURES;

/** The features that pages use for their visitors. */
const FOR_VISITORS = ['ai', 'image_gen', 'image_recognition'] satisfies Feature[];

const DAY_MS = 24 * 3600 * 1000;

/** Why a reservation is refused. Missing consent comes first, even if credits are missing too. */
export type ReservationFailure =
  | 'consent required'
  | 'token limit reached'
  | 'daily limit reached'
  | 'insufficient credits';

/** Who wants to spend, and on which page. */
export interface Spender {
  userId: number;
  pageId: number | null;
  /** True if a page spends for its visitor: then the user's consent for that page is needed too. */
  needsConsent: boolean;
  /** The bearer token of the request, if there is one. */
  tokenId?: number | undefined;
  /** The function that spends its owner's credits, if it is one: it has a limit for each day. */
  functionId?: number | undefined;
  /** The most that this page may spend for its visitors in a day, if the user pays for them. */
  pagePerDay?: number | undefined;
}

export interface Wish extends Spender {
  feature: Feature;
  tokens: number;
}

/** How long a reservation lasts. Its server renews it while it runs (`renewal.ts`). */
export const RESERVATION_MS = 60 * 1000;

/** The most tokens that could be reserved right now. */
export async function affordable(
  context: SpendingLedger,
  spender: Spender,
): Promise<number | ReservationFailure> {
  const means = await readMeans(context, context.db, spender, context.now());
  return checkMeans(means, 1) ?? Math.min(...Object.values(means));
}

/** Reserves tokens for something that is about to happen. Settle or release them afterwards. */
export function reserve(
  context: SpendingLedger,
  wish: Wish,
): Promise<{ reservationId: string; tokens: number } | ReservationFailure> {
  const { db, now, tokenLimits, functionLimits } = context;
  const { userId, pageId, needsConsent, feature, tokens, functionId } = wish;
  assertTokens(tokens, 1);
  return db.transaction().execute(async (tx) => {
    await lockAccount(tx, userId);
    const at = now();
    const means = await readMeans(context, tx, wish, at);
    const refusal = checkMeans(means, tokens);
    if (refusal) return refusal;

    const id = Bun.randomUUIDv7('hex', at);
    const about = { user_id: userId, page_id: pageId, feature };
    if (needsConsent && pageId !== null) await useConsent(tx, userId, pageId, tokens);
    const token_id = Number.isFinite(means.token) ? (wish.tokenId ?? null) : null;
    if (token_id !== null) await tokenLimits.use(tx, token_id, tokens);
    if (functionId !== undefined) await functionLimits.use(tx, functionId, at, tokens);
    await insertTransfer(
      tx,
      { id, kind: 'reserve', ...about, reason: FEATURES[feature], created_at: at },
      { available: -tokens, held: tokens },
    );
    const is_consented = needsConsent ? 1 : 0;
    const expires_at = at + RESERVATION_MS;
    const byFunction = { function_id: functionId ?? null, function_at: functionId === undefined ? null : at };
    await insertReservation(tx, { id, ...about, tokens, is_consented, token_id, ...byFunction, expires_at });
    return { reservationId: id, tokens };
  });
}

/** What a spender has left: balance, consent, and the limits of a token and of a day. Infinite if it does not apply. */
interface Means {
  balance: number;
  consent: number;
  token: number;
  day: number;
}

async function readMeans(
  { tokenLimits, functionLimits }: SpendingLedger,
  db: Db,
  spender: Spender,
  at: number,
): Promise<Means> {
  const { userId, pageId, needsConsent, tokenId, functionId } = spender;
  const isOnPage = needsConsent || spender.pagePerDay !== undefined;
  const means = await findMeans(db, userId, pageId);
  const consent = Math.max(0, (means.limit_tokens ?? 0) - (means.used_tokens ?? 0));
  const token = tokenId === undefined ? Number.POSITIVE_INFINITY : await tokenLimits.remaining(db, tokenId);
  return {
    balance: means.balance_tokens,
    consent: needsConsent ? consent : Number.POSITIVE_INFINITY,
    // A token without a limit can make preview images for its owner's pages, but cannot spend on pages.
    token: token ?? (isOnPage ? 0 : Number.POSITIVE_INFINITY),
    day: Math.min(
      functionId === undefined
        ? Number.POSITIVE_INFINITY
        : await functionLimits.remaining(db, functionId, at),
      await readPageDay(db, spender, at),
    ),
  };
}

/** What a page may still spend for its visitors today (UTC), if somebody else pays for them. */
async function readPageDay(db: Db, { userId, pageId, pagePerDay }: Spender, at: number): Promise<number> {
  if (pagePerDay === undefined || pageId === null) return Number.POSITIVE_INFINITY;
  const since = at - (at % DAY_MS);
  return Math.max(0, pagePerDay - (await sumForVisitors(db, { userId, pageId, since, of: FOR_VISITORS })));
}

function checkMeans({ balance, consent, token, day }: Means, tokens: number): ReservationFailure | undefined {
  if (consent < tokens) return 'consent required';
  if (token < tokens) return 'token limit reached';
  if (day < tokens) return 'daily limit reached';
  return balance < tokens ? 'insufficient credits' : undefined;
}
