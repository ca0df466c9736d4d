import { isNavigation, type Visit, withRequestLanguage } from '../../../platform/http/index.ts';
import { closedScreen } from '../access/screens.ts';
import { hiddenSlug } from '../model/hidden-page.ts';
import type { PageClosed } from '../model/page-closed.ts';
import type { Addresses } from './addresses.ts';
import type { Entrance } from './entrance.ts';
import { readSearch } from './moved.ts';
import type { PageCache } from './page-cache.ts';
import type { Viewers } from './viewers.ts';

interface ClosedPagesOptions {
  baseUrl: string;
  cache: PageCache;
  viewers: Viewers;
  addresses: Addresses;
  entrance: Entrance;
}

/** Responds to people who cannot see a page. */
export class ClosedPages {
  readonly #options: ClosedPagesOptions;

  constructor(options: ClosedPagesOptions) {
    this.#options = options;
  }

  /** Responds with a screen for people and JSON for programs. A password is given on the host of the page. */
  async respond(closed: PageClosed, request: Request, visit: Visit): Promise<Response> {
    const { baseUrl, viewers, entrance } = this.#options;
    const isGoing = isNavigation(request.headers);
    if (!isGoing && !request.headers.get('accept')?.includes('text/html'))
      return Response.json(closed.toBody(), { status: closed.status, headers: closed.headers });
    const { actor } = await viewers.identifyCaller(request, visit);
    const home = closed.reason === 'password needed' && isGoing && (await this.#findHome(closed, request));
    if (home && home !== visit.pageHost?.origin)
      return entrance.begin(home, pathOn(request, visit) + readSearch(request), actor !== undefined);
    const hidden = `/p/${hiddenSlug(closed.page.id)}`;
    const { pathname, search } = new URL(request.url);
    const isOfPage = visit.pageHost !== undefined || pathname.startsWith('/p/');
    const next = isOfPage ? pathname + search : hidden;
    return withRequestLanguage(request, () =>
      closedScreen(closed, {
        baseUrl,
        next,
        nextAtBase: visit.pageHost ? hidden + (pathname === '/' ? '' : pathname) + search : next,
        username: actor?.username,
      }),
    );
  }

  async #findHome({ page }: PageClosed, request: Request): Promise<string | undefined> {
    const { cache, addresses } = this.#options;
    const cached = await cache.load(page.id);
    return cached && addresses.findHome(cached, request);
  }
}

/** The requested path as a path on the page's host. */
function pathOn(request: Request, { pageHost }: Visit): string {
  const { pathname } = new URL(request.url);
  return pageHost ? pathname : `/${/^\/p\/[^/]*\/(.*)$/.exec(pathname)?.[1] ?? ''}`;
}
