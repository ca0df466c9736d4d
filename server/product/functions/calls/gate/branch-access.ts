import { WRITE } from '../../../../../contract/functions/access.ts';
import { isThrowawaySlug } from '../../../../lib/throwaway-names.ts';
import {
  type Actor,
  type CookieJar,
  createPassFor,
  createWhoIs,
  type Identities,
  type Caller as PageCaller,
  type PageVisitor,
  type Visit,
} from '../../../../platform/http/index.ts';
import type { Db } from '../../../../platform/storage/index.ts';
import type { PageDirectory } from '../../../ports.ts';
import { takeTicket } from '../call-tickets.ts';
import type { LiveFunction } from '../registry.ts';
import type { WhoCalls } from '../who-calls.ts';

interface BranchAccessOptions {
  db: Db;
  baseUrl: string;
  cookies: CookieJar;
  identities: Identities;
  pages: Pick<PageDirectory, 'find' | 'refusal'>;
  whoCalls: Pick<WhoCalls, 'findByTicket'>;
}

type BranchFunction = Pick<LiveFunction, 'slug' | 'branchSlug' | 'pageId'>;
type Arrival = Pick<Visit, 'address' | 'pageHost' | 'visitor' | 'requestId'>;

/** Decides who can call the functions of branches: their slugs can be guessed, so it is only who can see the branch. */
export class BranchAccess {
  readonly #options: BranchAccessOptions;
  readonly #whoIs: ReturnType<typeof createWhoIs>;

  constructor(options: BranchAccessOptions) {
    this.#options = options;
    this.#whoIs = createWhoIs(options);
  }

  /** Whether a request can call a function. `path` is as the function would see it. */
  async admits(
    called: LiveFunction,
    request: Request,
    { path, ...arrival }: Arrival & { path: string },
  ): Promise<boolean> {
    if (isForAll(called)) return true;
    const callers = called.pageId === null ? [] : await this.#findCallers(called, request, arrival, path);
    for (const caller of callers) if (await this.#sees(called, caller)) return true;
    return false;
  }

  /** Whether somebody may know of a function: if it is of a branch, they can see the branch. */
  async shows(asked: BranchFunction, caller: PageCaller): Promise<boolean> {
    return isForAll(asked) || this.#sees(asked, caller);
  }

  async #sees({ pageId }: BranchFunction, caller: PageCaller): Promise<boolean> {
    const { db, pages } = this.#options;
    const page = pageId === null ? undefined : await pages.find(db, String(pageId));
    return page !== undefined && (await pages.refusal(db, page, caller)) === undefined;
  }

  /** All that the request can show for itself: that of a visitor of the branch, its login, or a token. */
  async #findCallers(
    { id, pageId }: LiveFunction,
    request: Request,
    arrival: Arrival,
    path: string,
  ): Promise<PageCaller[]> {
    const { visitor, ...visit } = arrival;
    const { ticket } = takeTicket(path);
    const claims: Array<PageVisitor | undefined> = [
      visitor,
      ticket === undefined ? undefined : await this.#options.whoCalls.findByTicket(ticket, id),
    ];
    const shown = claims.flatMap((claim) => (claim?.pageId === pageId ? [claim] : []));
    if (visitor) return shown;
    const actor = await this.#whoIs({ kind: 'visitor or guest' }, request, visit, pageId ?? undefined);
    const passFor = createPassFor(request, visit, this.#options);
    return [...shown, { actor: actor && mayCall(actor) ? actor : undefined, passFor }];
  }
}

/** Whoever knows the name of a copy that is removed by itself may call it. */
const isForAll = ({ branchSlug, slug }: BranchFunction) => branchSlug === null || isThrowawaySlug(slug);

/** A person has allowed a connected app to call functions, or not. */
const mayCall = ({ isApp, onlyPage, scopes }: Actor) =>
  !isApp || onlyPage !== undefined || scopes.includes(WRITE.scope);
