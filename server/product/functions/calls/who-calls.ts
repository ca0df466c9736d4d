import { CALLER_HEADERS } from '../../../../contract/functions/callers.ts';
import { findDataType } from '../../../../contract/rules/storage-modes.ts';
import { VISIT_HEADER } from '../../../../workers/protocol.ts';
import type { ServiceKey } from '../../../lib/secrets.ts';
import {
  type Actor,
  type CookieJar,
  createPassFor,
  type Caller as PageCaller,
  type PageVisitor,
  readPageSession,
  type Visit,
} from '../../../platform/http/index.ts';
import type { Db, PageRow } from '../../../platform/storage/index.ts';
import type { PageDirectory } from '../../ports.ts';
import { findFunctionHead } from '../model/store.ts';
import { CALL_TICKET_SECONDS, type CallTicket, createCallTickets, VISIT_SECONDS } from './call-tickets.ts';

/** What functions ask about the visitors of pages. */
export interface PageVisitors {
  /** The visitor and page of a page session. */
  identify(pageSession: string): Promise<{ actor: Actor; pageId: number } | undefined>;
  findAgain(
    visitor: Pick<CallTicket, 'session' | 'checker' | 'token' | 'maxRole'>,
  ): Promise<Actor | undefined>;
}

interface WhoCallsOptions {
  db: Db;
  key: ServiceKey;
  now: () => number;
  baseUrl: string;
  cookies: CookieJar;
  pages: PageDirectory;
  visitors: PageVisitors;
}

/** A function that is called. */
interface Called {
  id: number;
  ownerId: number | null;
  /** The page that it belongs to. */
  pageId: number | null;
}

/** The host that a request came to, and the visitor for whom the MCP server of a page calls. */
type Arrival = Pick<Visit, 'pageHost' | 'visitor'>;

/** Finds out which visitor of which page calls a function, and makes the tickets with which pages say so elsewhere. */
export class WhoCalls {
  readonly #options: WhoCallsOptions;
  readonly #tickets: ReturnType<typeof createCallTickets>;
  /** What functions get, to act with the rights of a visitor. Nobody can call a function with it. */
  readonly #visits: ReturnType<typeof createCallTickets>;

  constructor(options: WhoCallsOptions) {
    this.#options = options;
    this.#tickets = createCallTickets(options, { purpose: 'call-ticket', seconds: CALL_TICKET_SECONDS });
    this.#visits = createCallTickets(options, { purpose: 'visit', seconds: VISIT_SECONDS });
  }

  /** The headers that a function gets about its caller: only from a page of its own owner, and only who may see it. */
  headersFor(
    called: Called,
    request: Request,
    { pageHost, visitor }: Arrival,
    ticket: string | undefined,
  ): Record<string, string> | Promise<Record<string, string>> {
    // Return early: most calls do not come from a page, and must not pay for those that do.
    if (!pageHost && !visitor && ticket === undefined && !request.headers.has('x-page-session')) return {};
    const { ownerId } = called;
    if (ownerId === null) return {};
    if (visitor) return this.#check(visitor, { ...called, ownerId });
    const claim =
      ticket === undefined ? this.#byRequest(request, { pageHost }) : this.findByTicket(ticket, called.id);
    return claim.then((found) => (found ? this.#check(found, { ...called, ownerId }) : {}));
  }

  /** The headers that a function gets when a visitor of a page follows what it answers. */
  async headersForVisitor(
    called: Called,
    page: PageRow,
    { actor, passFor }: PageCaller,
    isSurePage: boolean,
  ): Promise<Record<string, string>> {
    const { ownerId } = called;
    if (ownerId === null || !(isSurePage || isVisitor(actor))) return {};
    return this.#check({ pageId: page.id, actor, ...(passFor && { passFor }) }, { ...called, ownerId });
  }

  /**
   * The id of the page, if somebody who tries it calls its function, whose slug ends with that of the page. All trials have
   * the same owner, and nobody must reach what others try.
   */
  async findTrial(
    { id, ownerId }: { id: number; ownerId: number | null },
    request: Request,
    arrival: Arrival,
  ): Promise<number | undefined> {
    const { db, cookies, pages, visitors } = this.#options;
    const session = readPageSession(request, arrival, cookies);
    const visitor = session === undefined ? undefined : await visitors.identify(session);
    if (!visitor?.actor.isTrial || visitor.actor.userId !== ownerId) return undefined;
    const page = await pages.find(db, String(visitor.pageId));
    if (!page) return undefined;
    const called = await findFunctionHead(db, { id });
    return called?.slug.endsWith(`-${page.slug}`) ? page.id : undefined;
  }

  /** What lets the function act with the rights of the visitor. An agent must be allowed to change data in their name. */
  #makeVisit(functionId: number, page: PageRow, { actor, passFor }: PageVisitor): Record<string, string> {
    const isAgent = actor !== undefined && actor.sessionId === undefined && !actor.isCheck;
    if (isAgent && !actor.scopes.includes(`${findDataType(page.storage_mode)}:write`)) return {};
    const visit = this.#visits.make({
      function: functionId,
      page: page.id,
      session: actor?.sessionId,
      checker: isAgent || actor?.isCheck ? actor.userId : undefined,
      token: isAgent || actor?.isCheck ? actor.tokenId : undefined,
      maxRole: actor?.maxRole,
      pass: passFor?.(page.id),
    });
    return { [VISIT_HEADER]: visit };
  }

  /** A ticket for a visitor of a page that they can see; undefined if the function would learn nothing from it. */
  ticketFor(
    called: { id: number; ownerId: number | null },
    page: PageRow,
    { actor, passFor }: PageCaller,
    isSurePage: boolean,
  ): string | undefined {
    if (called.ownerId !== page.owner_id) return undefined;
    const session = actor?.sessionId;
    const checker = actor?.isCheck ? actor.userId : undefined;
    if (!isVisitor(actor) && !isSurePage) return undefined;
    return this.#tickets.make({
      function: called.id,
      page: page.id,
      session,
      checker,
      token: actor?.isCheck ? actor.tokenId : undefined,
      maxRole: actor?.maxRole,
      pass: passFor?.(page.id),
    });
  }

  /**
   * The visitor of a page who called a function a moment ago, for what it does with their rights. Undefined if the text is
   * not from such a call of this function, or if they have logged out since.
   */
  async findVisitor(visit: string, functionId: number): Promise<PageVisitor | undefined> {
    const named = this.#visits.read(visit, functionId);
    return named && this.#findAgain(named);
  }

  /** The visitor whom a ticket for this function names. */
  async findByTicket(ticket: string, functionId: number): Promise<PageVisitor | undefined> {
    const named = this.#tickets.read(ticket, functionId);
    return named && this.#findAgain(named);
  }

  async #findAgain(named: CallTicket): Promise<PageVisitor | undefined> {
    const isGuest = named.session === undefined && named.checker === undefined;
    const actor = isGuest ? undefined : await this.#options.visitors.findAgain(named);
    // A visitor who has logged out since is not a guest of a page that we are sure of.
    if (!isGuest && !actor) return undefined;
    return { pageId: named.page, actor, passFor: () => named.pass };
  }

  async #byRequest(request: Request, { pageHost }: Arrival): Promise<PageVisitor | undefined> {
    const { cookies, visitors } = this.#options;
    const passFor = createPassFor(request, { pageHost }, this.#options);
    const session = readPageSession(request, { pageHost }, cookies);
    const visitor = session === undefined ? undefined : await visitors.identify(session);
    if (visitor && (!pageHost || pageHost.pageId === visitor.pageId)) return { ...visitor, passFor };
    if (!isFromPage(request, pageHost)) return undefined;
    return { pageId: pageHost.pageId, actor: undefined, passFor };
  }

  async #check(visitor: PageVisitor, called: Called & { ownerId: number }): Promise<Record<string, string>> {
    const { pageId, actor, passFor } = visitor;
    const { db, pages } = this.#options;
    const page = await pages.find(db, String(pageId));
    // Nobody else's function may learn who visits a page.
    if (!page || page.owner_id !== called.ownerId) return {};
    if ((await pages.refusal(db, page, { actor, ...(passFor && { passFor }) })) !== undefined) return {};
    const belongs = called.pageId === page.id && !actor?.isTrial;
    const visit = belongs ? this.#makeVisit(called.id, page, visitor) : {};
    if (!actor) return { [CALLER_HEADERS.pageId]: String(page.id), ...visit };
    return { ...callerHeaders(page.id, actor, await pages.resolveRole(db, page, actor)), ...visit };
  }
}

/** Whether somebody has a page open: a browser has their login, and not a program their token. */
const isVisitor = (actor: Actor | undefined) => actor?.sessionId !== undefined || actor?.isCheck === true;

/** Whether the browser says that a page of this host sent the request. */
export function isFromPage(
  { headers }: Request,
  pageHost: Visit['pageHost'],
): pageHost is NonNullable<Visit['pageHost']> {
  return pageHost !== undefined && headers.get('origin') === pageHost.origin;
}

export function callerHeaders(
  pageId: number,
  { userId, username }: Pick<Actor, 'userId' | 'username'>,
  role: string | undefined,
): Record<string, string> {
  return {
    [CALLER_HEADERS.pageId]: String(pageId),
    [CALLER_HEADERS.userId]: String(userId),
    // Names are percent-encoded, because headers cannot contain most scripts.
    [CALLER_HEADERS.userName]: encodeURIComponent(username.toWellFormed()),
    ...(role !== undefined && { [CALLER_HEADERS.teamRole]: role }),
  };
}
