import type { Log, Route } from '../../platform/http/index.ts';
import type { Db } from '../../platform/storage/index.ts';
import { toCredits } from './amounts.ts';
import { hasConsent } from './consents.ts';
import type { SeePage } from './context.ts';
import { startReaper } from './reaper.ts';
import { startRenewal } from './renewal.ts';
import { affordable, type Refusal, reserve, type Spender, type Wish } from './reserve.ts';
import { creditRoutes } from './routes.ts';
import { consentScreens } from './screens.ts';
import { release, type Settlement, settle } from './settle.ts';
import { findBalance } from './store.ts';

/** Turns tokens, in which balances are kept, into credits, in which they are shown, and back. */
export { PICTURE_PRICES, TOKENS_PER_CREDIT, toCredits, toTokens } from './amounts.ts';
/** Gives users credits: new ones, and whomever an administrator names. */
export { grant, openCreditAccount } from './grant.ts';
/** What is asked of credits, and why it may be refused. */
export type { Feature, Refusal, Spender, Wish } from './reserve.ts';
/** What came of ending a reservation. */
export type { Settlement } from './settle.ts';

/** Credits: what users have, what pages may spend of it, and where it went. */
export interface Credits {
  routes: Route[];
  /** The most tokens that could be reserved right now. */
  affordable(spender: Spender): Promise<number | Refusal>;
  /** Reserves tokens. They are released a minute or two after this server is lost, or if nothing ends them within 15 minutes. */
  reserve(wish: Wish): Promise<{ reservationId: string; tokens: number } | Refusal>;
  /** Charges what was used, at most what was reserved, and gives the rest back. */
  settle(reservationId: string, usedTokens: number): Promise<Settlement>;
  /** Gives all of it back. */
  release(reservationId: string): Promise<Settlement>;
  /** Whether a user has let a page act in their name, whatever is left to spend. */
  hasConsent(userId: number, pageId: number): Promise<boolean>;
  /** How often each has happened through this process. */
  counts: Readonly<CreditCounts>;
  stop(): Promise<void>;
}

interface CreditCounts {
  reserved: number;
  settled: number;
  released: number;
}

/** Starts giving back what is overdue, and returns the verbs and their routes. */
export function startCredits(options: {
  db: Db;
  log: Pick<Log, 'warn'>;
  now: () => number;
  seePage: SeePage;
  /** The service's own address. */
  baseUrl: string;
}): Credits {
  const reaper = startReaper(options);
  const renewal = startRenewal(options);
  const counts: CreditCounts = { reserved: 0, settled: 0, released: 0 };
  const ended = (settlement: Settlement) => {
    if (settlement.isFirst) counts[settlement.chargedTokens > 0 ? 'settled' : 'released']++;
    return settlement;
  };
  return {
    routes: [...creditRoutes(options), ...consentScreens(options)],
    affordable: (spender) => affordable(options, spender),
    async reserve(wish) {
      const made = await reserve(options, wish);
      if (typeof made === 'object') {
        counts.reserved++;
        renewal.begin(made.reservationId);
      }
      return made;
    },
    async settle(reservationId, usedTokens) {
      const settlement = await settle(options, reservationId, usedTokens);
      renewal.end(reservationId);
      return ended(settlement);
    },
    async release(reservationId) {
      const settlement = await release(options, reservationId);
      renewal.end(reservationId);
      return ended(settlement);
    },
    counts,
    hasConsent: (userId, pageId) => hasConsent(options, userId, pageId),
    stop() {
      renewal.stop();
      return reaper.stop();
    },
  };
}

/** What a user has, in credits. */
export async function creditsOf(db: Db, userId: number): Promise<number> {
  return toCredits(await findBalance(db, userId));
}
