import { limitKey } from '../../../lib/addresses.ts';
import { AppError } from '../../../lib/errors.ts';
import { matchesHash } from '../../../lib/secrets.ts';
import { recordAudit } from '../../../platform/audit/index.ts';
import type { Limit, Limits } from '../../../platform/coordination/limits/index.ts';
import type { Actor } from '../../../platform/http/index.ts';
import type { PageRow, Tx } from '../../../platform/storage/index.ts';
import type { ChangeContext } from '../model/change-context.ts';
import { findPage, lockPage, storedBytes, updatePage } from '../model/page-store.ts';
import { setAuthor } from '../model/version-store.ts';

/** Wrong claims per IP address. Codes are too long to guess, but each attempt costs a query. */
const WRONG_CLAIMS = { points: 30, seconds: 15 * 60 };

/** The path of a claim link. The secret is in its query, which is not logged. */
export const makeClaimPath = (pageId: number, code: string) =>
  `/claim/${pageId}?code=${encodeURIComponent(code)}`;

export type ClaimContext = Pick<ChangeContext, 'db' | 'now' | 'chargeUsage' | 'changed'> & { limits: Limits };

/** What a claim link contains. */
export interface Claim {
  pageId: number;
  code: string;
}

/** Gives pages that were published without an account to the people who have their claim links. */
export class Claims {
  readonly #context: ClaimContext;
  readonly #wrong: Limit;

  constructor(context: ClaimContext) {
    this.#context = context;
    this.#wrong = context.limits.limit(
      'wrong-claims',
      WRONG_CLAIMS,
      'Too many links that do not work, from your address. Try again {wait}.',
    );
  }

  /** The page that somebody can claim with this link. */
  async look(claim: Claim, address: string): Promise<PageRow> {
    const page = await findPage(this.#context.db, claim.pageId);
    if (this.#isValid(page, claim)) return page;
    await this.#wrong.take(limitKey(address));
    throw gone();
  }

  /** Makes the page one of the actor's, within their quota. Of several people at once, the first gets it. */
  async claim(claim: Claim, actor: Actor, address: string): Promise<PageRow> {
    const { db, changed } = this.#context;
    await this.look(claim, address);
    const page = await db.transaction().execute((tx) => this.#take(tx, claim, actor, address));
    changed(page.id);
    return page;
  }

  async #take(tx: Tx, claim: Claim, actor: Actor, address: string): Promise<PageRow> {
    const { chargeUsage } = this.#context;
    const now = this.#context.now();
    const page = await lockPage(tx, claim.pageId);
    if (!this.#isValid(page, claim)) throw gone();
    const { id, slug } = page;
    const bytes = await storedBytes(tx, id);
    await chargeUsage(tx, actor.userId, { pages: 1, bytes });
    await chargeUsage(tx, page.owner_id, { pages: -1, bytes: -bytes });
    await updatePage(tx, id, {
      owner_id: actor.userId,
      claim_hash: null,
      access_expires_at: null,
      updated_at: now,
    });
    await setAuthor(tx, id, actor.userId);
    const { userId, username } = actor;
    await recordAudit(tx, {
      ...{ actor: { userId, username }, action: 'page.claim', address, now, ownerId: userId },
      target: { kind: 'page', id, name: slug },
    });
    return page;
  }

  #isValid(page: PageRow | undefined, { code }: Claim): page is PageRow {
    if (!page || page.claim_hash === null || !matchesHash(code, page.claim_hash)) return false;
    if (page.taken_down_at !== null || page.owner_blocked_at !== null) return false;
    return page.access_expires_at !== null && page.access_expires_at > this.#context.now();
  }
}

function gone(): AppError {
  return new AppError(
    'NOT_FOUND',
    'This link is unknown, has expired, or somebody has claimed the page with it. Publish the page again if it is gone.',
  );
}
