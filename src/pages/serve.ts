import { PAGE_SESSION_SECONDS, type PageSessions } from '../accounts/index.ts';
import {
  type Actor,
  type CookieJar,
  errorScreen,
  LOGIN_COOKIE,
  notFound,
  PAGE_COOKIE,
  type Visit,
  type WhoIs,
} from '../http/index.ts';
import type { Db } from '../storage/index.ts';
import type { CachedPage, PageCache } from './page-cache.ts';
import { joinRendered } from './render.ts';
import type { SdkBundle } from './sdk-bundle.ts';
import { sendPage, sendPersonalPage } from './send.ts';
import { findDocument, findRenamed } from './store.ts';
import type { Views } from './views.ts';

/**
 * Takes a page's script out of our origin: no cookies, no storage, nothing of ours to read. Windows it opens are
 * free of that again, or logging in would be impossible in them.
 */
const SANDBOX_POLICY =
  'sandbox allow-scripts allow-forms allow-popups allow-popups-to-escape-sandbox allow-modals allow-downloads allow-pointer-lock allow-orientation-lock allow-presentation';

/** Where a visitor's ticket is turned into the page's own cookie. */
const TICKET_PATH = '/~session';

export interface ServeContext {
  db: Db;
  baseUrl: string;
  isolation: 'origin' | 'sandbox' | 'trusted';
  pagesHost: string | undefined;
  cookies: CookieJar;
  cache: PageCache;
  sdk: SdkBundle;
  views: Views;
  pageSessions: PageSessions;
  whoIs: WhoIs;
}

/** Serves published pages, at `/p/<slug>` and on their own hosts. */
export interface Serving {
  atBase(request: Request, slug: string, visit: Visit): Response | Promise<Response>;
  /** Undefined when the path is none of the page's own. */
  onPageHost(
    request: Request,
    path: string,
    visit: Visit & { pageHost: NonNullable<Visit['pageHost']> },
  ): Response | Promise<Response> | undefined;
}

export function createServing(context: ServeContext): Serving {
  const { db, baseUrl, isolation, pagesHost, cookies, cache, sdk, views, pageSessions, whoIs } = context;
  const scheme = new URL(baseUrl).protocol;
  const basePolicy = isolation === 'trusted' ? undefined : SANDBOX_POLICY;

  function send(page: CachedPage, request: Request, requestId: string, policy: string | undefined): Response {
    page.isUsed = true;
    const { response, isView } = sendPage(page, request, { requestId, policy, isPrivate: !page.isPublished });
    if (isView) views.count(page.id);
    return response;
  }

  return {
    atBase(request, slug, visit) {
      const page = cache.bySlug(slug);
      if (page?.isPublished && !isPersonal(request)) return send(page, request, visit.requestId, basePolicy);
      return atBaseSlowly(request, slug, visit);
    },

    onPageHost(request, path, visit) {
      if (path === '/') {
        const page = cache.byId(visit.pageHost.pageId);
        if (page?.isPublished) return send(page, request, visit.requestId, undefined);
        return onPageHostSlowly(request, visit);
      }
      if (path === TICKET_PATH) return redeem(request, visit);
      if (path === sdk.path) return sdk.respond();
      // Links between pages are written `/p/other`; they lead to the service, wherever the page is.
      if (path.startsWith('/p/')) return redirect(baseUrl + path + new URL(request.url).search);
      return undefined;
    },
  };

  /** Whether the answer depends on who asks: a navigation in origin isolation, or one by somebody logged in. */
  function isPersonal(request: Request): boolean {
    if (isolation === 'trusted' || request.headers.get('sec-fetch-mode') !== 'navigate') return false;
    return isolation === 'origin' || cookies.read(request, LOGIN_COOKIE) !== undefined;
  }

  async function atBaseSlowly(request: Request, slug: string, visit: Visit): Promise<Response> {
    const page = await cache.load(slug, () => findDocument(db, { slug }));
    if (!page) return (await toRenamed(slug, request)) ?? missing();
    const mayMatter = !page.isPublished || isPersonal(request);
    const actor = mayMatter ? await whoIs({ kind: 'served page' }, request, visit) : undefined;
    if (!maySee(page, actor)) return missing();
    const response = isPersonal(request)
      ? sendPersonally(page, request, visit, actor)
      : send(page, request, visit.requestId, basePolicy);
    if (actor?.setCookie) response.headers.set('set-cookie', actor.setCookie);
    return response;
  }

  function sendPersonally(
    page: CachedPage,
    request: Request,
    visit: Visit,
    actor: Actor | undefined,
  ): Response {
    if (isolation === 'origin') return redirect(pageHostAddress(page, request, actor));
    const pageSession = actor && pageSessions.make(actor, page.id);
    if (!pageSession) return send(page, request, visit.requestId, basePolicy);
    if (request.method === 'GET') views.count(page.id);
    const html = joinRendered(page.rendered, pageSession);
    return sendPersonalPage(page, html, { requestId: visit.requestId, policy: SANDBOX_POLICY });
  }

  async function onPageHostSlowly(
    request: Request,
    visit: Visit & { pageHost: { pageId: number } },
  ): Promise<Response> {
    const id = visit.pageHost.pageId;
    const page = await cache.load(`#${id}`, () => findDocument(db, { id }));
    if (!page) return missing();
    const actor = page.isPublished
      ? undefined
      : await whoIs({ kind: 'visitor or guest' }, request, visit, id);
    return maySee(page, actor) ? send(page, request, visit.requestId, undefined) : missing();
  }

  /** The page on its own host, by way of a ticket for somebody who is logged in. */
  function pageHostAddress(page: CachedPage, request: Request, actor: Actor | undefined): string {
    const host = `${scheme}//p${page.id}.${pagesHost}`;
    const target = `/${new URL(request.url).search}`;
    const ticket = actor && pageSessions.makeTicket(actor, page.id);
    return ticket ? `${host}${TICKET_PATH}?${new URLSearchParams({ ticket, next: target })}` : host + target;
  }

  async function redeem(
    request: Request,
    visit: Visit & { pageHost: { pageId: number; origin: string } },
  ): Promise<Response> {
    const { searchParams } = new URL(request.url);
    const next = URL.parse(searchParams.get('next') ?? '/', visit.pageHost.origin);
    const target = next?.origin === visit.pageHost.origin ? `/${next.search}` : '/';
    const pageSession = await pageSessions.redeemTicket(
      searchParams.get('ticket') ?? '',
      visit.pageHost.pageId,
    );
    const response = redirect(target);
    if (pageSession)
      response.headers.set('set-cookie', cookies.set(PAGE_COOKIE, pageSession, PAGE_SESSION_SECONDS));
    return response;
  }

  async function toRenamed(slug: string, request: Request): Promise<Response | undefined> {
    const page = await findRenamed(db, slug);
    if (page?.is_published !== 1) return undefined;
    return new Response(null, {
      status: 301,
      headers: { location: `/p/${page.slug}${new URL(request.url).search}`, 'cache-control': 'no-cache' },
    });
  }
}

function maySee(page: CachedPage, actor: Actor | undefined): boolean {
  return page.isPublished || page.ownerId === actor?.userId;
}

function missing(): Promise<Response> {
  return errorScreen(notFound('This page'));
}

function redirect(location: string): Response {
  return new Response(null, {
    status: 302,
    headers: { location, 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' },
  });
}
