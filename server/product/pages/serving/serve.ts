import { pageUrl } from '../../../../contract/pages.ts';
import { canonicalSlug } from '../../../../contract/rules/page-slugs.ts';
import { AppError, notFound } from '../../../lib/errors.ts';
import {
  type Actor,
  type CookieJar,
  isNavigation,
  LOGIN_COOKIE,
  type Visit,
  type WhoIs,
  wantsMarkdown,
} from '../../../platform/http/index.ts';
import type { Db } from '../../../platform/storage/index.ts';
import type { PageSessions } from '../context.ts';
import type { PageDirectory } from '../directory.ts';
import { findRenamed } from '../slug-store.ts';
import { Entrance, redirect, SESSION_PATH } from './entrance.ts';
import { MAX_MARKDOWN_HTML, toMarkdown } from './markdown.ts';
import type { CachedPage, PageCache } from './page-cache.ts';
import type { Place } from './prepared.ts';
import { SDK_PATH, type Sdk } from './sdk-bundle.ts';
import { sendPage, sendPersonalPage, VARY } from './send.ts';
import { sendText } from './texts.ts';
import type { Views } from './views.ts';

/**
 * Removes a page's script from our origin: no cookies, no storage, no access to us. Windows it opens are not
 * sandboxed, because otherwise nobody could log in there.
 */
const SANDBOX_POLICY =
  'sandbox allow-scripts allow-forms allow-popups allow-popups-to-escape-sandbox allow-modals allow-downloads allow-pointer-lock allow-orientation-lock allow-presentation';

interface ServingOptions {
  db: Db;
  baseUrl: string;
  isolation: 'origin' | 'sandbox' | 'trusted';
  pagesHost: string | undefined;
  cookies: CookieJar;
  directory: Pick<PageDirectory, 'roleOf'>;
  cache: PageCache;
  sdk: Sdk;
  views: Views;
  pageSessions: PageSessions;
  whoIs: WhoIs;
  /** What a page is and how agents use it, as text. */
  describe(pageId: number): Promise<string>;
}

/** A token without the scope sees what everyone sees: no drafts. */
const VIEW = { kind: 'served page', scope: 'pages:read' } as const;
const VIEW_ON_HOST = { kind: 'visitor or guest', scope: 'pages:read' } as const;

/** Below a page, and on its own host. */
const LLMS_PATH = '/llms.txt';
const MCP_PATH = '/mcp';

type OnPageHost = Visit & { pageHost: NonNullable<Visit['pageHost']> };

/**
 * Serves published pages, at `/p/<slug>` and on their own hosts. The front door turns its errors into
 * screens.
 */
export class Serving {
  readonly #options: ServingOptions;
  readonly #cache: PageCache;
  readonly #entrance: Entrance;
  readonly #basePolicy: string | undefined;
  /** The Markdown of pages in the cache, because anyone can ask for it as often as they like. */
  readonly #markdown = new WeakMap<CachedPage, Promise<string>>();

  constructor(options: ServingOptions) {
    this.#options = options;
    this.#cache = options.cache;
    this.#entrance = new Entrance(options);
    this.#basePolicy = options.isolation === 'trusted' ? undefined : SANDBOX_POLICY;
  }

  atBase(request: Request, slug: string, visit: Visit): Response | Promise<Response> {
    const page = this.#cache.bySlug(slug);
    if (page?.isPublished && !wantsMarkdown(request)) {
      if (!this.#isPersonal(request)) return this.#sendAtBase(page, request);
      const isAnonymous = !this.#isLoggedIn(request) && !request.headers.has('authorization');
      if (isAnonymous) return this.#entrance.begin(page.id, searchOf(request), undefined);
    }
    return this.#serveUncached(request, slug, visit);
  }

  /** Responds to a page's host that requests a ticket for its visitor. */
  async giveTicket(request: Request, visit: Visit): Promise<Response> {
    const params = new URL(request.url).searchParams;
    const id = Number(params.get('page'));
    if (this.#options.isolation !== 'origin' || !Number.isSafeInteger(id) || id < 1) throw missing();
    const page = this.#cache.byId(id) ?? (await this.#cache.load(id));
    const actor = this.#isPersonal(request) ? await this.#options.whoIs(VIEW, request, visit) : undefined;
    if (!page || !(await this.#maySee(page, actor))) throw missing();
    return this.#entrance.giveTicket(id, params, actor);
  }

  /** A page with a page session in it, for a browser that checks the page in sandbox isolation. */
  async sendWithSession(pageId: number, pageSession: string): Promise<Response> {
    const page = await this.#cache.load(pageId);
    if (!page) throw missing();
    return sendPersonalPage(page, pageSession, SANDBOX_POLICY);
  }

  /** Undefined if the path does not belong to the page. */
  onPageHost(request: Request, path: string, visit: OnPageHost): Response | Promise<Response> | undefined {
    const { pageId } = visit.pageHost;
    if (path === '/') {
      const page = this.#cache.byId(pageId);
      if (page?.isPublished && !wantsMarkdown(request)) return this.#sendOnHost(page, request);
      return this.#serveUncachedOnHost(request, visit);
    }
    if (path === LLMS_PATH) return this.#serveUncachedOnHost(request, visit, true);
    if (path === SESSION_PATH) return this.#entrance.enter(request, pageId);
    if (path.startsWith(SDK_PATH)) return this.#options.sdk.respond(request, path);
    // Links between pages are written `/p/other`. They lead to the service, wherever the page is.
    if (path.startsWith('/p/')) return redirect(this.#options.baseUrl + path + searchOf(request));
    return undefined;
  }

  #send(page: CachedPage, request: Request, place: Place, policy: string | undefined): Response {
    page.isUsed = true;
    const { response, isView } = sendPage(page, request, { place, policy });
    if (isView) this.#options.views.count(page.id);
    return response;
  }

  #sendAtBase(page: CachedPage, request: Request): Response {
    return this.#send(page, request, 'base', this.#basePolicy);
  }

  #sendOnHost(page: CachedPage, request: Request): Response {
    return isForeignFrame(request)
      ? this.#send(page, request, 'frame', SANDBOX_POLICY)
      : this.#send(page, request, 'own host', undefined);
  }

  /** A published page exists for everyone, a draft for people who work on it. */
  async #maySee(page: CachedPage, actor: Actor | undefined): Promise<boolean> {
    if (page.isPublished) return true;
    const { db, directory } = this.#options;
    return (await directory.roleOf(db, page.access, actor)) !== undefined;
  }

  /**
   * Whether the response depends on the caller: a navigation in origin isolation, or one of a logged-in user.
   */
  #isPersonal(request: Request): boolean {
    const { isolation } = this.#options;
    if (isolation === 'trusted' || !isNavigation(request.headers)) return false;
    return isolation === 'origin' || this.#isLoggedIn(request);
  }

  /** Or claims to be. */
  #isLoggedIn(request: Request): boolean {
    return this.#options.cookies.read(request, LOGIN_COOKIE) !== undefined;
  }

  async #serveUncached(request: Request, asked: string, visit: Visit): Promise<Response> {
    if (asked.endsWith(MCP_PATH)) throw notReadable();
    const isLlms = asked.endsWith(LLMS_PATH);
    const slug = isLlms ? asked.slice(0, -LLMS_PATH.length) : asked;
    const page = await this.#cache.load(slug);
    if (!page) {
      const moved = (await this.#toRenamed(slug, request)) ?? (await this.#toCanonical(slug, request, visit));
      if (!moved) throw missing();
      if (isLlms) moved.headers.set('location', `${moved.headers.get('location')}${LLMS_PATH}`);
      return moved;
    }
    const isText = isLlms || wantsMarkdown(request);
    const isPersonal = !isText && this.#isPersonal(request);
    const mayMatter = !page.isPublished || isPersonal;
    const actor = mayMatter ? await this.#options.whoIs(VIEW, request, visit) : undefined;
    if (!(await this.#maySee(page, actor))) throw missing();
    if (isText) return this.#sendText(page, request, isLlms);
    const response = isPersonal
      ? await this.#sendPersonally(page, request, actor)
      : this.#sendAtBase(page, request);
    if (actor?.setCookie) response.headers.set('set-cookie', actor.setCookie);
    return response;
  }

  async #sendPersonally(page: CachedPage, request: Request, actor: Actor | undefined): Promise<Response> {
    const { isolation, pageSessions, views } = this.#options;
    if (isolation === 'origin') return this.#entrance.begin(page.id, searchOf(request), actor);
    const pageSession = actor && pageSessions.make(actor, page.id);
    if (!pageSession) return this.#sendAtBase(page, request);
    if (request.method === 'GET') views.count(page.id);
    return sendPersonalPage(page, pageSession, SANDBOX_POLICY);
  }

  /** What the page is for agents, or its content in Markdown. Neither counts as a view. */
  async #sendText(page: CachedPage, request: Request, isLlms: boolean): Promise<Response> {
    if (isLlms) return sendText(page, request, await this.#options.describe(page.id), { type: 'text/plain' });
    const text = await this.#markdownOf(page);
    const more = `More for agents: ${pageUrl(this.#options.baseUrl, page.slug)}${LLMS_PATH}`;
    return sendText(page, request, `${text}\n\n---\n\n${more}\n`, { type: 'text/markdown', vary: VARY });
  }

  #markdownOf(page: CachedPage): Promise<string> {
    const known = this.#markdown.get(page);
    if (known) return known;
    // A letter has at most three bytes, and of the rest it only matters whether there is one.
    const start = page.plain.body.slice(0, 3 * MAX_MARKDOWN_HTML + 1);
    const made = start.text().then(toMarkdown);
    this.#markdown.set(page, made);
    return made;
  }

  async #serveUncachedOnHost(request: Request, visit: OnPageHost, isLlms = false): Promise<Response> {
    const id = visit.pageHost.pageId;
    const page = await this.#cache.load(id);
    if (!page) throw missing();
    const actor = page.isPublished ? undefined : await this.#options.whoIs(VIEW_ON_HOST, request, visit, id);
    if (!(await this.#maySee(page, actor))) throw missing();
    if (isLlms || wantsMarkdown(request)) return this.#sendText(page, request, isLlms);
    return this.#sendOnHost(page, request);
  }

  async #toRenamed(slug: string, request: Request): Promise<Response | undefined> {
    const page = await findRenamed(this.#options.db, slug);
    return page?.is_published === 1 ? moved(page.slug, request) : undefined;
  }

  /** `/p/My-Page/` means `/p/my-page`, if the caller can see that page. */
  async #toCanonical(slug: string, request: Request, visit: Visit): Promise<Response | undefined> {
    const canonical = canonicalSlug(slug);
    if (canonical === slug) return undefined;
    const page = this.#cache.bySlug(canonical) ?? (await this.#cache.load(canonical));
    if (!page) return this.#toRenamed(canonical, request);
    const actor = page.isPublished ? undefined : await this.#options.whoIs(VIEW, request, visit);
    return (await this.#maySee(page, actor)) ? moved(canonical, request) : undefined;
  }
}

const missing = () => notFound('This page');

/** Clients of the older revisions try to read, and go on without if that is not possible. */
const notReadable = () =>
  new AppError('METHOD_NOT_ALLOWED', 'This is the MCP server of a page. MCP clients send POST requests.', {
    headers: { allow: 'POST' },
  });

/** The query with its question mark, without the cost of parsing the whole URL. */
function searchOf({ url }: Request): string {
  const at = url.indexOf('?');
  return at === -1 ? '' : url.slice(at);
}

function moved(slug: string, request: Request): Response {
  return new Response(null, {
    status: 301,
    headers: { location: `/p/${slug}${searchOf(request)}`, 'cache-control': 'no-cache' },
  });
}

/**
 * On its own host a page can do anything, except be framed by others: browsers treat neighbouring pages as the same
 * site and would send them its visitor's cookie, and they could make the visitor click on something invisible.
 */
function isForeignFrame({ headers }: Request): boolean {
  const destination = headers.get('sec-fetch-dest');
  if (destination === null || destination === 'document' || destination === 'empty') return false;
  return headers.get('sec-fetch-site') !== 'same-origin';
}
