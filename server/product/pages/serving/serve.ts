import { AppError, notFound } from '../../../lib/errors.ts';
import {
  type Actor,
  PAGE_COOKIE,
  type PageHost,
  type Visit,
  wantsMarkdown,
} from '../../../platform/http/index.ts';
import type { PageSessions } from '../context.ts';
import type { DomainTable } from '../domains/table.ts';
import { Addresses, opensTab } from './addresses.ts';
import { Entrance, redirect, SESSION_PATH } from './entrance.ts';
import { MovedPages, searchOf } from './moved.ts';
import type { CachedPage, PageCache } from './page-cache.ts';
import { LLMS_PATH, PageTexts } from './page-texts.ts';
import type { Place } from './prepared.ts';
import { SDK_PATH, type Sdk } from './sdk-bundle.ts';
import { sendPage, sendPersonalPage } from './send.ts';
import { Viewers, type ViewersOptions } from './viewers.ts';
import type { Views } from './views.ts';

/**
 * Removes a page's script from our origin: no cookies, no storage, no access to us. Windows it opens are not
 * sandboxed, because otherwise nobody could log in there.
 */
const SANDBOX_POLICY =
  'sandbox allow-scripts allow-forms allow-popups allow-popups-to-escape-sandbox allow-modals allow-downloads allow-pointer-lock allow-orientation-lock allow-presentation';

interface ServingOptions extends ViewersOptions {
  baseUrl: string;
  pagesHost: string | undefined;
  domains: Pick<DomainTable, 'find'>;
  cache: PageCache;
  sdk: Sdk;
  views: Views;
  pageSessions: PageSessions;
  /** What a page is and how agents use it, as text. */
  describe(pageId: number): Promise<string>;
}

/** Below a page. */
const MCP_PATH = '/mcp';

type OnPageHost = Visit & { pageHost: PageHost };

/**
 * Serves published pages, at `/p/<slug>` and on their own hosts. The front door turns its errors into
 * screens.
 */
export class Serving {
  readonly #options: ServingOptions;
  readonly #cache: PageCache;
  readonly #addresses: Addresses;
  readonly #entrance: Entrance;
  readonly #viewers: Viewers;
  readonly #texts: PageTexts;
  readonly #moved: MovedPages;
  readonly #basePolicy: string | undefined;

  constructor(options: ServingOptions) {
    this.#options = options;
    this.#cache = options.cache;
    this.#addresses = new Addresses(options);
    this.#entrance = new Entrance(options);
    this.#viewers = new Viewers(options);
    this.#texts = new PageTexts(options);
    this.#moved = new MovedPages({ ...options, viewers: this.#viewers });
    this.#basePolicy = options.isolation === 'trusted' ? undefined : SANDBOX_POLICY;
  }

  atBase(request: Request, slug: string, visit: Visit): Response | Promise<Response> {
    const page = this.#cache.bySlug(slug);
    if (page?.isPublished && !wantsMarkdown(request)) {
      if (!this.#viewers.isPersonal(request, page)) return this.#sendAtBase(page, request);
      const home = this.#viewers.isAnonymous(request) && this.#addresses.homeOf(page, request);
      if (home) return this.#entrance.begin(home, searchOf(request), false);
    }
    return this.#serveUncached(request, slug, visit);
  }

  /** Responds to a page's host that requests a ticket for its visitor. */
  async giveTicket(request: Request, visit: Visit): Promise<Response> {
    const params = new URL(request.url).searchParams;
    const id = Number(params.get('page'));
    if (!Number.isSafeInteger(id) || id < 1) throw missing();
    const host = await this.#addresses.originOf(id, params.get('domain'));
    const page = host && (this.#cache.byId(id) ?? (await this.#cache.load(id)));
    if (!page) throw missing();
    const viewers = this.#viewers;
    const actor = viewers.isPersonal(request, page) ? await viewers.whoIs(request, visit) : undefined;
    if (!(await viewers.maySee(page, actor))) throw missing();
    return this.#entrance.giveTicket(id, host, params, actor);
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
      if (page?.isPublished && !wantsMarkdown(request)) return this.#sendOnHost(page, request, visit);
      return this.#serveUncachedOnHost(request, visit);
    }
    if (path === LLMS_PATH) return this.#serveUncachedOnHost(request, visit, true);
    if (path === SESSION_PATH) return this.#entrance.enter(request, visit.pageHost);
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

  #sendOnHost(page: CachedPage, request: Request, { pageHost }: OnPageHost): Response {
    if (page.domain !== null && page.domain !== pageHost.domain && opensTab(request))
      return this.#toMainAddress(page, request);
    return isForeignFrame(request)
      ? this.#send(page, request, 'frame', SANDBOX_POLICY)
      : this.#send(page, request, 'own host', undefined);
  }

  /** From another host of the page. Who has a page session here gets one there. */
  #toMainAddress(page: CachedPage, request: Request): Response {
    const { cookies } = this.#options;
    const home = this.#addresses.homeOf(page, request) ?? '';
    return this.#entrance.begin(home, searchOf(request), cookies.read(request, PAGE_COOKIE) !== undefined);
  }

  async #serveUncached(request: Request, asked: string, visit: Visit): Promise<Response> {
    if (asked.endsWith(MCP_PATH)) throw notReadable();
    const isLlms = asked.endsWith(LLMS_PATH);
    const slug = isLlms ? asked.slice(0, -LLMS_PATH.length) : asked;
    const page = await this.#cache.load(slug);
    if (!page) {
      const moved = await this.#moved.find(slug, isLlms ? LLMS_PATH : '', request, visit);
      if (!moved) throw missing();
      return moved;
    }
    const isText = isLlms || wantsMarkdown(request);
    const isPersonal = !isText && this.#viewers.isPersonal(request, page);
    const mayMatter = !page.isPublished || isPersonal;
    const actor = mayMatter ? await this.#viewers.whoIs(request, visit) : undefined;
    if (!(await this.#viewers.maySee(page, actor))) throw missing();
    if (isText) return this.#sendText(page, request, isLlms);
    const response = isPersonal
      ? await this.#sendPersonally(page, request, actor)
      : this.#sendAtBase(page, request);
    if (actor?.setCookie) response.headers.set('set-cookie', actor.setCookie);
    return response;
  }

  async #sendPersonally(page: CachedPage, request: Request, actor: Actor | undefined): Promise<Response> {
    const { pageSessions, views } = this.#options;
    const home = this.#addresses.homeOf(page, request);
    if (home) return this.#entrance.begin(home, searchOf(request), actor !== undefined);
    const pageSession = actor && pageSessions.make(actor, page.id);
    if (!pageSession) return this.#sendAtBase(page, request);
    if (request.method === 'GET') views.count(page.id);
    return sendPersonalPage(page, pageSession, SANDBOX_POLICY);
  }

  #sendText(page: CachedPage, request: Request, isLlms: boolean): Promise<Response> {
    return isLlms ? this.#texts.sendDescription(page, request) : this.#texts.sendMarkdown(page, request);
  }

  async #serveUncachedOnHost(request: Request, visit: OnPageHost, isLlms = false): Promise<Response> {
    const page = await this.#cache.load(visit.pageHost.pageId);
    if (!page) throw missing();
    const actor = page.isPublished ? undefined : await this.#viewers.whoIs(request, visit);
    if (!(await this.#viewers.maySee(page, actor))) throw missing();
    if (isLlms || wantsMarkdown(request)) return this.#sendText(page, request, isLlms);
    return this.#sendOnHost(page, request, visit);
  }
}

const missing = () => notFound('This page');

/** Clients of the older revisions try to read, and go on without if that is not possible. */
const notReadable = () =>
  new AppError('METHOD_NOT_ALLOWED', 'This is the MCP server of a page. MCP clients send POST requests.', {
    headers: { allow: 'POST' },
  });

/**
 * On its own host a page can do anything, except be framed by others: browsers treat neighbouring pages as the same
 * site and would send them its visitor's cookie, and they could make the visitor click on something invisible.
 */
function isForeignFrame({ headers }: Request): boolean {
  const destination = headers.get('sec-fetch-dest');
  if (destination === null || destination === 'document' || destination === 'empty') return false;
  return headers.get('sec-fetch-site') !== 'same-origin';
}
