import {
  type Actor,
  type CookieJar,
  isNavigation,
  LOGIN_COOKIE,
  type Visit,
  type WhoIs,
} from '../../../platform/http/index.ts';
import type { Db } from '../../../platform/storage/index.ts';
import type { PageDirectory } from '../directory.ts';
import { opensTab } from './addresses.ts';
import type { CachedPage } from './page-cache.ts';

/** A token without the scope sees what everyone sees: no drafts. */
const VIEW = { kind: 'served page', scope: 'pages:read' } as const;
const VIEW_ON_HOST = { kind: 'visitor or guest', scope: 'pages:read' } as const;

export interface ViewersOptions {
  db: Db;
  isolation: 'origin' | 'sandbox' | 'trusted';
  cookies: CookieJar;
  directory: Pick<PageDirectory, 'roleOf'>;
  whoIs: WhoIs;
}

/** Who looks at a page, and whether they may. */
export class Viewers {
  readonly #options: ViewersOptions;

  constructor(options: ViewersOptions) {
    this.#options = options;
  }

  /** Whoever sends a request to the base, or to the page's own host if the visit is there. */
  whoIs(request: Request, visit: Visit): Promise<Actor | undefined> {
    const { whoIs } = this.#options;
    return visit.pageHost
      ? whoIs(VIEW_ON_HOST, request, visit, visit.pageHost.pageId)
      : whoIs(VIEW, request, visit);
  }

  /** A published page exists for everyone, a draft for people who work on it. */
  async maySee(page: CachedPage, actor: Actor | undefined): Promise<boolean> {
    if (page.isPublished) return true;
    const { db, directory } = this.#options;
    return (await directory.roleOf(db, page.access, actor)) !== undefined;
  }

  /**
   * Whether the response depends on the caller: a navigation in origin isolation or to a page with a domain, or one of a
   * logged-in user.
   */
  isPersonal(request: Request, { domain }: Pick<CachedPage, 'domain'>): boolean {
    const { isolation } = this.#options;
    if (isolation === 'trusted' && domain === null) return false;
    if (!isNavigation(request.headers)) return false;
    if (isolation === 'origin' || (domain !== null && opensTab(request))) return true;
    return isolation === 'sandbox' && this.#isLoggedIn(request);
  }

  isAnonymous(request: Request): boolean {
    return !this.#isLoggedIn(request) && !request.headers.has('authorization');
  }

  /** Or claims to be. */
  #isLoggedIn(request: Request): boolean {
    return this.#options.cookies.read(request, LOGIN_COOKIE) !== undefined;
  }
}
