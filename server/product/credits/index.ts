import { toCredits } from '../../../contract/rules/credit-amounts.ts';
import type { Actor, Log, Route } from '../../platform/http/index.ts';
import type { Db } from '../../platform/storage/index.ts';
import { mayPublish } from './consents.ts';
import type { CreditsContext } from './context.ts';
import { readSpent } from './history.ts';
import { OverdueReservations } from './overdue.ts';
import { releaseHeld } from './privacy/remove.ts';
import { Renewal } from './renewal.ts';
import { affordable, type ReservationFailure, reserve, type Spender, type Wish } from './reserve.ts';
import { creditRoutes } from './routes.ts';
import { consentScreens } from './screens/index.ts';
import { release, type Settlement, settle } from './settle.ts';
import { findBalance, listBalances } from './store.ts';

/** Gives credits to new users, and to users that an administrator names. */
export { grant, openCreditAccount } from './grant.ts';

/** Exports credits. */
export { exportCredits } from './privacy/export.ts';
/** Keeps the ledger of a removed user as numbers. */
export { moveLedger } from './privacy/remove.ts';

interface CreditCounts {
  reserved: number;
  settled: number;
  released: number;
}

/** Credits: balances of users, consents for pages, and the ledger. */
export class Credits {
  readonly routes: Route[];
  /** Counts of credit operations in this process. */
  readonly counts: Readonly<CreditCounts>;
  readonly #context: CreditsContext;
  readonly #counts: CreditCounts = { reserved: 0, settled: 0, released: 0 };
  readonly #overdue: OverdueReservations;
  readonly #renewal: Renewal;

  constructor(context: CreditsContext & { log: Pick<Log, 'warn'> }) {
    this.#context = context;
    this.#overdue = new OverdueReservations(context);
    this.#renewal = new Renewal(context);
    this.counts = this.#counts;
    this.routes = [...creditRoutes(context), ...consentScreens(context)];
  }

  /** What a user has spent since a time, with each page. */
  spentSince(actor: Actor, since: number) {
    return readSpent(this.#context, actor, since);
  }

  /** The most tokens that could be reserved right now. */
  affordable(spender: Spender): Promise<number | ReservationFailure> {
    return affordable(this.#context, spender);
  }

  /** Reserves tokens. They are released soon after this server is lost, or if nothing ends them within 15 minutes. */
  async reserve(wish: Wish): Promise<{ reservationId: string; tokens: number } | ReservationFailure> {
    const made = await reserve(this.#context, wish);
    if (typeof made === 'object') {
      this.#counts.reserved++;
      this.#renewal.begin(made.reservationId);
    }
    return made;
  }

  /** Charges what was used, at most what was reserved, and returns the rest. */
  async settle(reservationId: string, usedTokens: number): Promise<Settlement> {
    return this.#end(reservationId, await settle(this.#context, reservationId, usedTokens));
  }

  /** Returns all reserved tokens. */
  async release(reservationId: string): Promise<Settlement> {
    return this.#end(reservationId, await release(this.#context, reservationId));
  }

  /** Whether a user lets a page publish in their name. */
  mayPublish(userId: number, pageId: number): Promise<boolean> {
    return mayPublish(this.#context, userId, pageId);
  }

  /** Ends all reservations of a user whose account is deleted. Work in progress is not charged. */
  releaseHeld(userId: number): Promise<void> {
    return releaseHeld(this.#context, userId);
  }

  stop(): Promise<void> {
    this.#renewal.stop();
    return this.#overdue.stop();
  }

  #end(reservationId: string, settlement: Settlement): Settlement {
    this.#renewal.end(reservationId);
    if (settlement.isFirst) this.#counts[settlement.chargedTokens > 0 ? 'settled' : 'released']++;
    return settlement;
  }
}

/** The balance of a user, in credits. */
export async function readCredits(db: Db, userId: number): Promise<number> {
  return toCredits(await findBalance(db, userId));
}

/** The balances of users in credits, by user id. */
export async function creditsOfMany(db: Db, userIds: number[]): Promise<Map<number, number>> {
  const rows = userIds.length === 0 ? [] : await listBalances(db, userIds);
  return new Map(rows.map((row) => [row.user_id, toCredits(row.balance_tokens)]));
}
