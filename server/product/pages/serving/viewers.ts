import type { AppError } from '../../../lib/errors.ts';
import {
  type Caller,
  type CookieJar,
  createPassFor,
  isNavigation,
  LOGIN_COOKIE,
  type Visit,
  type WhoIs,
  wantsMarkdown,
} from '../../../platform/http/index.ts';
import type { Db } from '../../../platform/storage/index.ts';
import type { PageSessions } from '../access/page-sessions.ts';
import type { AccessDenial, PageAccess } from '../model/access-policy.ts';
import type { PageDirectory } from '../model/directory.ts';
import { refusalError } from '../model/page-closed.ts';
import { opensTab } from './addresses.ts';
import type { CachedPage } from './page-cache.ts';
import type { VisitorTokens } from './render/render.ts';

/** The access to view a page. A token without the scope sees what everyone sees: no drafts. */
const VIEW = { kind: 'served page', scope: 'pages:read' } as const;
const VIEW_ON_HOST = { kind: 'visitor or guest', scope: 'pages:read' } as const;

export interface ViewersOptions {
  db: Db;
  baseUrl: string;
  isolation: 'origin' | 'sandbox' | 'trusted';
  cookies: CookieJar;
  directory: Pick<PageDirectory, 'refusal' | 'passes'>;
  pageSessions: Pick<PageSessions, 'make' | 'findAgain'>;
  whoIs: WhoIs;
}

export const NOBODY: Caller = { actor: undefined };

/**
 * In which form a page is sent: as it is, with something for its visitor, its content in Markdown, or what it is and how
 * agents use it.
 */
export type Form = 'plain' | 'personal' | 'markdown' | 'description';

/** The path of `llms.txt` below a page, and on its own host. */
export const LLMS_NAME = 'llms.txt';

type SeenPage = Pick<CachedPage, 'id' | 'access'>;

/** Identifies the viewers of pages, and decides whether they can see a page. */
export class Viewers {
  readonly #options: ViewersOptions;

  constructor(options: ViewersOptions) {
    this.#options = options;
  }

  /** Identifies the caller of a request to the base, or to the page's own host if the visit is there. */
  async identifyCaller(request: Request, visit: Visit): Promise<Caller> {
    const { whoIs } = this.#options;
    const actor = await (visit.pageHost
      ? whoIs(VIEW_ON_HOST, request, visit, visit.pageHost.pageId)
      : whoIs(VIEW, request, visit));
    return { actor, passFor: createPassFor(request, visit, this.#options) };
  }

  /**
   * In which form a request gets a page, if its sender can see it. Every request for a page comes here, so it reads only
   * headers. On its own host, a page has cookies, and everyone gets the same. `isLlms` is true for the path of `llms.txt`.
   */
  formFor(request: Request, page: CachedPage, isLlms: boolean, { pageHost }: Visit): Form {
    if (isLlms && !page.files?.has(LLMS_NAME)) return 'description';
    if (wantsMarkdown(request)) return 'markdown';
    return !pageHost && this.isPersonal(request, page) ? 'personal' : 'plain';
  }

  /** Identifies the caller of a page, if it matters, and returns why they cannot have it in this form. */
  async identify(
    page: CachedPage,
    form: Form,
    request: Request,
    visit: Visit,
  ): Promise<{ caller: Caller; refusal: AppError | undefined }> {
    const mayMatter = !page.isOpen || form === 'personal';
    const caller = mayMatter ? await this.identifyCaller(request, visit) : NOBODY;
    const refusal = await this.refusal(page.access, caller);
    return { caller, refusal: refusal && refusalError(page.access, refusal, caller.actor) };
  }

  /** Fails unless the caller can see the page. */
  async admit(page: PageAccess, caller: Caller): Promise<void> {
    const refusal = await this.refusal(page, caller);
    if (refusal) throw refusalError(page, refusal, caller.actor);
  }

  /** Fails unless the caller can see the page, or can give its password on the page's own host. */
  async admitToHost(page: PageAccess, caller: Caller): Promise<void> {
    const refusal = await this.refusal(page, caller);
    if (refusal && refusal !== 'password needed') throw refusalError(page, refusal, caller.actor);
  }

  refusal(page: PageAccess, caller: Caller): Promise<AccessDenial | undefined> {
    return this.#options.directory.refusal(this.#options.db, page, caller);
  }

  /** The tokens that the page's script needs to act for its visitor, if it has no cookies. */
  tokensFor({ id, access }: SeenPage, { actor, passFor }: Caller): VisitorTokens {
    const { directory, pageSessions } = this.#options;
    const pass = access.access_mode === 'password' ? passFor?.(id) : undefined;
    return {
      pageSession: actor && pageSessions.make(actor, id),
      pass: directory.passes.isValid(pass, access) ? pass : undefined,
    };
  }

  /** A key for the addresses of the files of a page that not everyone can see; none for a program with a token. */
  fileKeyFor({ id, access }: SeenPage, { actor, passFor }: Caller): string | undefined {
    const { passes } = this.#options.directory;
    const hasPass = access.access_mode === 'password' && passes.isValid(passFor?.(id), access);
    const { sessionId: session, isCheck, userId, maxRole, endsAt } = actor ?? {};
    const checker = isCheck ? userId : undefined;
    if (!hasPass && session === undefined && checker === undefined) return undefined;
    return passes.makeFileKey(access, { hasPass, session, checker, maxRole, endsAt });
  }

  /** Whether the key was given to somebody who can still see the page. */
  async opensFiles(key: string, { access }: SeenPage): Promise<boolean> {
    const { directory, pageSessions } = this.#options;
    const holder = directory.passes.readFileKey(key, access);
    if (!holder) return false;
    const actor = await pageSessions.findAgain(holder);
    const pass = holder.hasPass ? directory.passes.make(access) : undefined;
    return (await this.refusal(access, { actor, passFor: () => pass })) === undefined;
  }

  /**
   * Whether the response depends on the caller: a navigation in origin isolation or to a page with a domain, or one of a
   * logged-in user. In sandbox isolation also one of somebody with a pass.
   */
  isPersonal(request: Request, { domain, isOpen }: Pick<CachedPage, 'domain' | 'isOpen'>): boolean {
    const { isolation } = this.#options;
    if (isolation === 'trusted' && domain === null) return false;
    if (!isNavigation(request.headers)) return false;
    if (isolation === 'origin' || (domain !== null && opensTab(request))) return true;
    return isolation === 'sandbox' && (!isOpen || this.#isLoggedIn(request));
  }

  isAnonymous(request: Request): boolean {
    return !this.#isLoggedIn(request) && !request.headers.has('authorization');
  }

  /** Whether the caller is logged in, or claims to be. */
  #isLoggedIn(request: Request): boolean {
    return this.#options.cookies.read(request, LOGIN_COOKIE) !== undefined;
  }
}
