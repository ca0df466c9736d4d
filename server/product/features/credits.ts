import { BRANCH_CREDITS_PER_DAY, toCredits, toTokens } from '../../../contract/rules/credit-amounts.ts';
import { AppError } from '../../lib/errors.ts';
import { isThrowawaySlug } from '../../lib/throwaway-names.ts';
import { toAppError } from '../../platform/storage/index.ts';
import type { FeaturesContext } from './context.ts';
import {
  branchLimitReached,
  consentRequired,
  creditLimitReached,
  insufficientCredits,
} from './feature-error.ts';
import type { Entered } from './gate.ts';
import type { PaidFeature, ReservationFailure, Spender } from './needs.ts';

/** The cost of a call: reserved before, charged after, returned if the call fails. */
export interface Spending {
  /** The most that can be reserved now. Fails if that is less than `least`. */
  affordable(least: number): Promise<number>;
  reserve(tokens: number): Promise<void>;
  /** Charges what was used, at most what was reserved. Returns the charge in credits. */
  settle(usedTokens: number): Promise<{ deducted: number; remaining: number }>;
  release(): Promise<void>;
}

/**
 * The spending of a call: from a visitor's credits, with their consent for the page, or from the owner's own. On a branch,
 * which is there to be tried, its owner pays for visitors up to a limit.
 */
export function createSpending(
  { credits, baseUrl, used }: Pick<FeaturesContext, 'credits' | 'baseUrl' | 'used'>,
  { actor, page }: Pick<Entered<unknown>, 'actor' | 'page'>,
  feature: PaidFeature,
): Spending {
  const isForVisitor = feature !== 'preview_image';
  const isPaidByOwner = isForVisitor && page.branch_of !== null && !isThrowawaySlug(page.slug);
  const who = {
    ...(isPaidByOwner
      ? { userId: page.owner_id, needsConsent: false, pagePerDay: toTokens(BRANCH_CREDITS_PER_DAY) }
      : { userId: actor.userId, needsConsent: isForVisitor }),
    pageId: page.id,
    // A token for one page has no limit of its own: the consent for that page is its limit.
    tokenId: actor.onlyPage === undefined ? actor.tokenId : undefined,
  };
  const spending = spend(credits, who, {
    feature,
    refuse(why) {
      if (why === 'daily limit reached') return branchLimitReached();
      if (why === 'token limit reached') return creditLimitReached();
      return why === 'consent required' ? consentRequired(baseUrl, page.id) : insufficientCredits();
    },
    // The owner pays for a preview image.
    onCharged(tokens) {
      if (isForVisitor) used(page.id, feature, tokens);
    },
  });
  return isPaidByOwner ? withRestOfDay(spending, () => credits.affordable(who)) : spending;
}

/** Visitors learn what the page can still spend, and not what its owner has. */
function withRestOfDay(spending: Spending, affordable: () => Promise<number | ReservationFailure>): Spending {
  return {
    ...spending,
    async settle(usedTokens) {
      const { deducted } = await spending.settle(usedTokens);
      const rest = await affordable();
      return { deducted, remaining: typeof rest === 'number' ? toCredits(rest) : 0 };
    },
  };
}

/** The credits of one spender. */
export function spend(
  credits: FeaturesContext['credits'],
  who: Spender,
  {
    feature,
    refuse,
    onCharged,
  }: {
    feature: PaidFeature;
    /** The error for a refusal. */
    refuse(why: ReservationFailure): Error | Promise<Error>;
    onCharged?(tokens: number): void;
  },
): Spending {
  let reservationId: string | undefined;
  return {
    async affordable(least) {
      const most = await credits.affordable(who);
      if (typeof most === 'string') throw await refuse(most);
      if (most >= least) return most;
      // If credits are missing, a reservation fails with the reason.
      const made = await credits.reserve({ ...who, feature, tokens: least });
      if (typeof made === 'string') throw await refuse(made);
      await credits.release(made.reservationId);
      return least;
    },
    async reserve(tokens) {
      const made = await credits.reserve({ ...who, feature, tokens });
      if (typeof made === 'string') throw await refuse(made);
      reservationId = made.reservationId;
    },
    async settle(usedTokens) {
      const { chargedTokens, balanceTokens } = await credits.settle(reservationId ?? '', usedTokens);
      onCharged?.(chargedTokens);
      return { deducted: toCredits(chargedTokens), remaining: toCredits(balanceTokens) };
    },
    async release() {
      if (reservationId !== undefined) await credits.release(reservationId);
    },
  };
}

/** One call of a provider that has a fixed price. */
interface PaidCall<Input, Made, Result> {
  tokens: number;
  /** Aborts when the caller disconnects. */
  left: AbortSignal;
  /** Does everything that can fail before the provider is asked. */
  prepare(): Promise<Input>;
  ask(input: Input): Promise<Made>;
  /** Makes the response from the result of the provider. */
  finish(made: Made): Promise<Result>;
}

/**
 * Pays for one call of a provider. The caller owes the price from the moment the provider has been asked, unless the
 * provider or our own storage fails: callers who disconnect, or cannot store the result, have used the provider too.
 */
export async function payFor<Input, Made, Result>(
  spending: Spending,
  { tokens, left, prepare, ask, finish }: PaidCall<Input, Made, Result>,
): Promise<{ result: Result; credits: { deducted: number; remaining: number } }> {
  await spending.reserve(tokens);
  let state: 'preparing' | 'asked' | 'made' = 'preparing';
  try {
    const input = await prepare();
    left.throwIfAborted();
    state = 'asked';
    const made = await ask(input);
    state = 'made';
    const result = await finish(made);
    return { result, credits: await spending.settle(tokens) };
  } catch (error) {
    const seen = error instanceof AppError ? error : toAppError(error);
    const isOurs = seen !== undefined && seen.status >= 500;
    const isOwed = state === 'made' ? !isOurs : state === 'asked' && left.aborted;
    await (isOwed ? spending.settle(tokens) : spending.release());
    throw error;
  }
}
