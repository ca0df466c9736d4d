import { notFound } from '../../../lib/errors.ts';
import {
  type Actor,
  type CookieJar,
  isNavigation,
  LOGIN_COOKIE,
  type Visit,
  type WhoIs,
} from '../../../platform/http/index.ts';
import { errorScreen } from '../../../platform/screens/index.ts';
import type { Db } from '../../../platform/storage/index.ts';
import type { PageSessions } from '../../accounts/index.ts';
import { roleOf } from '../access.ts';
import { canonicalSlug } from '../slug.ts';
import { findRenamed } from '../store.ts';
import { createEntrance, redirect, SESSION_PATH } from './entrance.ts';
import type { CachedPage, PageCache } from './page-cache.ts';
import { withPageSession } from './render.ts';
import { SDK_PATH, type Sdk } from './sdk-bundle.ts';
import { sendPage, sendPersonalPage } from './send.ts';
import type { Views } from './views.ts';

/**
 * Takes a page's script out of our origin: no cookies, no storage, nothing of ours to read. Windows it opens are
 * free of that again, or logging in would be impossible in them.
 */
const SANDBOX_POLICY =
  'sandbox allow-scripts allow-forms allow-popups allow-popups-to-escape-sandbox allow-modals allow-downloads allow-pointer-lock allow-orientation-lock allow-presentation';

interface ServeContext {
  db: Db;
  baseUrl: string;
  isolation: 'origin' | 'sandbox' | 'trusted';
  pagesHost: string | undefined;
  cookies: CookieJar;
  cache: PageCache;
  sdk: Sdk;
  views: Views;
  pageSessions: PageSessions;
  whoIs: WhoIs;
}

/** Serves published pages, at `/p/<slug>` and on their own hosts. */
export interface Serving {
  atBase(request: Request, slug: string, visit: Visit): Response | Promise<Response>;
  /** Answers a page's host that asks for a ticket for its visitor. */
  giveTicket(request: Request, visit: Visit): Promise<Response>;
  /** Undefined when the path is none of the page's own. */
  onPageHost(
    request: Request,
    path: string,
    visit: Visit & { pageHost: NonNullable<Visit['pageHost']> },
  ): Response | Promise<Response> | undefined;
}

export function createServing(context: ServeContext): Serving {
  const { db, baseUrl, isolation, pagesHost, cookies, cache, sdk, views, pageSessions, whoIs } = context;
  const entrance = createEntrance({ baseUrl, pagesHost, cookies, pageSessions });
  const missing = () => errorScreen(notFound('This page'), baseUrl);
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

    async giveTicket(request, visit) {
      const params = new URL(request.url).searchParams;
      const id = Number(params.get('page'));
      if (isolation !== 'origin' || !Number.isSafeInteger(id) || id < 1) return missing();
      const page = cache.byId(id) ?? (await cache.load(id));
      const actor = isPersonal(request) ? await whoIs({ kind: 'served page' }, request, visit) : undefined;
      return page && (await maySee(page, actor)) ? entrance.giveTicket(id, params, actor) : missing();
    },

    onPageHost(request, path, visit) {
      if (path === '/') {
        const page = cache.byId(visit.pageHost.pageId);
        if (page?.isPublished) return send(page, request, visit.requestId, hostPolicy(request));
        return onPageHostSlowly(request, visit);
      }
      if (path === SESSION_PATH) return entrance.enter(request, visit.pageHost.pageId);
      if (path.startsWith(SDK_PATH)) return sdk.respond(request, path);
      // Links between pages are written `/p/other`; they lead to the service, wherever the page is.
      if (path.startsWith('/p/')) return redirect(baseUrl + path + new URL(request.url).search);
      return undefined;
    },
  };

  /** A page is there for everybody, a draft for those who work on it. */
  async function maySee(page: CachedPage, actor: Actor | undefined): Promise<boolean> {
    return page.isPublished || (await roleOf(db, page.access, actor)) !== undefined;
  }

  /** Whether the answer depends on who asks: a navigation in origin isolation, or one by somebody logged in. */
  function isPersonal(request: Request): boolean {
    if (isolation === 'trusted' || !isNavigation(request.headers)) return false;
    return isolation === 'origin' || cookies.read(request, LOGIN_COOKIE) !== undefined;
  }

  async function atBaseSlowly(request: Request, slug: string, visit: Visit): Promise<Response> {
    const page = await cache.load(slug);
    if (!page)
      return (await toRenamed(slug, request)) ?? (await toCanonical(slug, request, visit)) ?? missing();
    const mayMatter = !page.isPublished || isPersonal(request);
    const actor = mayMatter ? await whoIs({ kind: 'served page' }, request, visit) : undefined;
    if (!(await maySee(page, actor))) return missing();
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
    if (isolation === 'origin') return entrance.begin(page.id, new URL(request.url).search, actor);
    const pageSession = actor && pageSessions.make(actor, page.id);
    if (!pageSession) return send(page, request, visit.requestId, basePolicy);
    if (request.method === 'GET') views.count(page.id);
    const html = withPageSession(page, pageSession);
    return sendPersonalPage(page, html, { requestId: visit.requestId, policy: SANDBOX_POLICY });
  }

  async function onPageHostSlowly(
    request: Request,
    visit: Visit & { pageHost: { pageId: number } },
  ): Promise<Response> {
    const id = visit.pageHost.pageId;
    const page = await cache.load(id);
    if (!page) return missing();
    const actor = page.isPublished
      ? undefined
      : await whoIs({ kind: 'visitor or guest' }, request, visit, id);
    return (await maySee(page, actor))
      ? send(page, request, visit.requestId, hostPolicy(request))
      : missing();
  }

  async function toRenamed(slug: string, request: Request): Promise<Response | undefined> {
    const page = await findRenamed(db, slug);
    return page?.is_published === 1 ? moved(page.slug, request) : undefined;
  }

  /** `/p/My-Page/` means `/p/my-page`, for those who may see that one. */
  async function toCanonical(slug: string, request: Request, visit: Visit): Promise<Response | undefined> {
    const canonical = canonicalSlug(slug);
    if (canonical === slug) return undefined;
    const page = cache.bySlug(canonical) ?? (await cache.load(canonical));
    if (!page) return toRenamed(canonical, request);
    const actor = page.isPublished ? undefined : await whoIs({ kind: 'served page' }, request, visit);
    return (await maySee(page, actor)) ? moved(canonical, request) : undefined;
  }
}

function moved(slug: string, request: Request): Response {
  return new Response(null, {
    status: 301,
    headers: { location: `/p/${slug}${new URL(request.url).search}`, 'cache-control': 'no-cache' },
  });
}

/**
 * On its own host a page is free, but not in a frame of somebody else's: browsers take neighbouring pages for the same
 * site and would send them its visitor's cookie, and they could have the visitor click on what they do not see.
 */
function hostPolicy(request: Request): string | undefined {
  const destination = request.headers.get('sec-fetch-dest');
  if (destination === null || destination === 'document' || destination === 'empty') return undefined;
  return request.headers.get('sec-fetch-site') === 'same-origin' ? undefined : SANDBOX_POLICY;
}
