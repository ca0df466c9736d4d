import { TOKENS_PER_CREDIT } from '../credits/index.ts';
import type { FeaturesContext } from './context.ts';
import type { Entered, Feature } from './gate.ts';
import { consentRequired, insufficientCredits, type Refusal } from './refusal.ts';

/** What a call costs whoever asks: set aside before, charged after, given back when it fails. */
export interface Spending {
  /** The most that could be set aside now; refused when that is less than `least`. */
  affordable(least: number): Promise<number>;
  reserve(tokens: number): Promise<void>;
  /** Charges what was used, at most what was set aside; says what that came to, in credits. */
  settle(usedTokens: number): Promise<{ deducted: number; remaining: number }>;
  release(): Promise<void>;
}

/** The visitor's credits, with their consent for the page. */
export function spendingOf(
  context: Pick<FeaturesContext, 'credits' | 'baseUrl'>,
  { actor, page }: Pick<Entered<unknown>, 'actor' | 'page'>,
  feature: Feature | 'preview image',
  options: { needsConsent: boolean } = { needsConsent: true },
): Spending {
  const { credits, baseUrl } = context;
  const who = { userId: actor.userId, pageId: page.id, ...options };
  let reservation: { id: string; tokens: number } | undefined;

  function refuse(why: 'consent required' | 'insufficient credits'): Refusal {
    return why === 'consent required' ? consentRequired(baseUrl, page.id) : insufficientCredits();
  }

  return {
    async affordable(least) {
      const found = await credits.affordable(who);
      if ('refused' in found) throw refuse(found.refused);
      if (found.tokens >= least) return found.tokens;
      throw refuse(found.limitedBy === 'consent' ? 'consent required' : 'insufficient credits');
    },
    async reserve(tokens) {
      const made = await credits.reserve({ ...who, feature, tokens });
      if ('refused' in made) throw refuse(made.refused);
      reservation = { id: made.reservationId, tokens };
    },
    async settle(usedTokens) {
      const { id = '', tokens = 0 } = reservation ?? {};
      const { balance } = await credits.settle(id, usedTokens);
      const deducted = Math.min(usedTokens, tokens) / TOKENS_PER_CREDIT;
      return { deducted, remaining: balance / TOKENS_PER_CREDIT };
    },
    async release() {
      if (reservation) await credits.release(reservation.id);
    },
  };
}
