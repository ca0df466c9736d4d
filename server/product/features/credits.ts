import { toCredits } from '../../../contract/rules/credit-amounts.ts';
import type { FeaturesContext } from './context.ts';
import type { Entered } from './gate.ts';
import type { CreditRefusal, PaidFeature } from './needs.ts';
import { consentRequired, creditLimitReached, insufficientCredits, type Refusal } from './refusal.ts';

/** What a call costs: reserved before, charged after, returned if it fails. */
export interface Spending {
  /** The most that can be reserved now. Fails if that is less than `least`. */
  affordable(least: number): Promise<number>;
  reserve(tokens: number): Promise<void>;
  /** Charges what was used, at most what was reserved. Returns the charge in credits. */
  settle(usedTokens: number): Promise<{ deducted: number; remaining: number }>;
  release(): Promise<void>;
}

/** The credits that pay: a visitor's, with their consent for the page, or the owner's own. */
export function spendingOf(
  { credits, baseUrl, used }: Pick<FeaturesContext, 'credits' | 'baseUrl' | 'used'>,
  { actor, page }: Pick<Entered<unknown>, 'actor' | 'page'>,
  feature: PaidFeature,
): Spending {
  const who = {
    userId: actor.userId,
    pageId: page.id,
    needsConsent: feature !== 'preview_image',
    // A token for one page has no limit of its own: the consent for that page is its limit.
    tokenId: actor.onlyPage === undefined ? actor.tokenId : undefined,
  };
  let reservationId: string | undefined;

  function refuse(why: CreditRefusal): Refusal {
    if (why === 'token limit reached') return creditLimitReached();
    return why === 'consent required' ? consentRequired(baseUrl, page.id) : insufficientCredits();
  }

  return {
    async affordable(least) {
      const most = await credits.affordable(who);
      if (typeof most === 'string') throw refuse(most);
      if (most >= least) return most;
      // Too little: a reservation fails with the reason.
      const made = await credits.reserve({ ...who, feature, tokens: least });
      if (typeof made === 'string') throw refuse(made);
      await credits.release(made.reservationId);
      return least;
    },
    async reserve(tokens) {
      const made = await credits.reserve({ ...who, feature, tokens });
      if (typeof made === 'string') throw refuse(made);
      reservationId = made.reservationId;
    },
    async settle(usedTokens) {
      const { chargedTokens, balanceTokens } = await credits.settle(reservationId ?? '', usedTokens);
      // The owner pays for a preview image.
      if (who.needsConsent) used(page.id, feature, chargedTokens);
      return { deducted: toCredits(chargedTokens), remaining: toCredits(balanceTokens) };
    },
    async release() {
      if (reservationId !== undefined) await credits.release(reservationId);
    },
  };
}
