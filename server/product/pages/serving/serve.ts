import { AppError, notFound } from '../../../lib/errors.ts';
import { type Caller, isNavigation, type Visit } from '../../../platform/http/index.ts';
import type { PageSessions } from '../access/page-sessions.ts';
import type { DomainTable } from '../domains/table.ts';
import { PageClosed } from '../model/page-closed.ts';
import { Addresses } from './addresses.ts';
import { ClosedPages } from './closed-pages.ts';
import { Delivery, type Loaded } from './delivery.ts';
import { Entrance, redirect } from './entrance.ts';
import { type Below, isEmpty, split, takeKey } from './files/below.ts';
import type { SiteFiles } from './files/site-files.ts';
import { MovedPages, moved, readSearch } from './moved.ts';
import { type OnPageHost, OwnHosts } from './own-hosts.ts';
import type { CachedPage, PageCache } from './page-cache.ts';
import type { Previews } from './previews/previews.ts';
import type { VisitorTokens } from './render/render.ts';
import { SANDBOX_POLICY } from './sandbox-policy.ts';
import type { Sdk } from './sdk-bundle.ts';
import { sendPersonalPage } from './send.ts';
import { PageTexts } from './texts/page-texts.ts';
import { type UnclaimedOptions, UnclaimedPages } from './unclaimed/unclaimed.ts';
import { LLMS_NAME, NOBODY, Viewers, type ViewersOptions } from './viewers.ts';
import type { Views } from './views.ts';

export interface ServingOptions extends ViewersOptions, Pick<UnclaimedOptions, 'now'> {
  baseUrl: string;
  pagesHost: string | undefined;
  domains: Pick<DomainTable, 'find'>;
  cache: PageCache;
  sdk: Sdk;
  files: SiteFiles;
  views: Views;
  /** Called when a browser has loaded a document of a page, also if it had it already. */
  loaded: Loaded;
  previews: Previews;
  pageSessions: PageSessions;
  /** Describes a page for agents, as text. */
  describe(pageId: number): Promise<string>;
}

/** The path of the MCP server below a page. */
const MCP_NAME = 'mcp';

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
  readonly #delivery: Delivery;
  readonly #closed: ClosedPages;
  readonly #unclaimed: UnclaimedPages;
  readonly #ownHosts: OwnHosts;

  constructor(options: ServingOptions) {
    this.#options = options;
    this.#cache = options.cache;
    this.#addresses = new Addresses(options);
    this.#entrance = new Entrance(options);
    this.#viewers = new Viewers(options);
    this.#moved = new MovedPages({ ...options, viewers: this.#viewers });
    this.#delivery = new Delivery(options);
    this.#texts = new PageTexts({ ...options, delivery: this.#delivery });
    const parts = {
      ...options,
      addresses: this.#addresses,
      entrance: this.#entrance,
      viewers: this.#viewers,
      delivery: this.#delivery,
      texts: this.#texts,
    };
    this.#closed = new ClosedPages(parts);
    this.#unclaimed = new UnclaimedPages(parts);
    this.#ownHosts = new OwnHosts({ ...parts, unclaimed: this.#unclaimed });
  }

  /** Serves `/p/<asked>`: a slug, or a slug and a path below the page. */
  atBase(request: Request, asked: string, visit: Visit): Response | Promise<Response> {
    const page = this.#cache.bySlug(asked);
    if (page?.isOpen) {
      const form = this.#viewers.formFor(request, page, false, visit);
      if (form === 'plain')
        return page.files
          ? moved(`/p/${asked}/`, request)
          : this.#delivery.send(page, request, 'base', visit);
      const isNobody = form === 'personal' && this.#viewers.isAnonymous(request);
      const home = isNobody && this.#addresses.findHome(page, request);
      if (home) return this.#entrance.begin(home, `/${readSearch(request)}`, false);
    }
    return (
      (page ? undefined : this.#sendFile(request, asked, visit)) ?? this.#serveUncached(request, asked, visit)
    );
  }

  /** Responds to a page's host that requests a ticket for its visitor. */
  async giveTicket(request: Request, visit: Visit): Promise<Response> {
    const params = new URL(request.url).searchParams;
    const id = Number(params.get('page'));
    if (!Number.isSafeInteger(id) || id < 1) throw missing();
    const host = await this.#addresses.findOrigin(id, params.get('domain'));
    const page = host && (this.#cache.byId(id) ?? (await this.#cache.load(id)));
    if (!page) throw missing();
    const viewers = this.#viewers;
    const caller = viewers.isPersonal(request, page) ? await viewers.identifyCaller(request, visit) : NOBODY;
    await viewers.admitToHost(page.access, caller);
    return this.#entrance.giveTicket(id, host, params, caller.actor);
  }

  /** The response for somebody who cannot see a page. Undefined for other errors. */
  async respondToClosed(error: unknown, request: Request, visit: Visit): Promise<Response | undefined> {
    return error instanceof PageClosed ? this.#closed.respond(error, request, visit) : undefined;
  }

  /** A page with a page session in it, for a browser that checks the page in sandbox isolation. */
  async sendWithSession(pageId: number, pageSession: string, request: Request): Promise<Response> {
    const page = await this.#cache.load(pageId);
    if (!page) throw missing();
    const below = takeKey(split(new URL(request.url).pathname.slice('/p/'.length)).rest);
    if (!page.files && !page.spa && !isEmpty(below.rest)) throw notFound('This file was not found.');
    const actor = await this.#options.pageSessions.find(pageSession, pageId);
    return this.#sendInSandbox(page, below, request, { caller: { actor }, tokens: { pageSession } });
  }

  /** A page that everyone can see, for our own browser, which is not a visitor. */
  async sendUncounted(pageId: number, request: Request, where: 'base' | 'own host'): Promise<Response> {
    const page = await this.#cache.load(pageId);
    if (!page?.isOpen) throw missing();
    const isFolder = new URL(request.url).pathname.endsWith('/');
    if (where === 'base' && page.files && !isFolder) return moved(`/p/${page.slug}/`, request);
    return this.#delivery.sendUncounted(page, request, where);
  }

  /** Serves a path on the host of a page. Undefined if the path does not belong to the page. */
  onPageHost(
    request: Request,
    path: string,
    visit: OnPageHost,
  ): Response | Promise<Response | undefined> | undefined {
    return this.#ownHosts.serve(request, path, visit);
  }

  /** Sends a file of a published page from the cache. Undefined if that takes more than a lookup. */
  #sendFile(request: Request, asked: string, visit: Visit): Response | Promise<Response> | undefined {
    const { slug, rest } = split(asked);
    if (rest === undefined) return undefined;
    const page = this.#cache.bySlug(slug);
    if (!page?.isOpen || !page.files || !(rest === '' || page.files.has(rest))) return undefined;
    if (this.#viewers.formFor(request, page, rest === LLMS_NAME, visit) !== 'plain') return undefined;
    return this.#delivery.sendBelow(page, rest, request, 'base', visit);
  }

  async #serveUncached(request: Request, asked: string, visit: Visit): Promise<Response> {
    const { slug, rest: written } = split(asked);
    if (written === MCP_NAME) throw notReadable();
    const preview = written && this.#options.previews.send(request, written, { slug });
    if (preview) return preview;
    const page = this.#cache.bySlug(slug) ?? (await this.#cache.load(slug));
    if (!page) {
      const found = await this.#moved.find(slug, isEmpty(written) ? '' : `/${written}`, request, visit);
      if (!found) throw missing();
      return found;
    }
    const unclaimed =
      page.access.claim_hash !== null && (await this.#unclaimed.send(page, written, request, visit));
    if (unclaimed) return unclaimed;
    const below = takeKey(written);
    const { rest, key } = below;
    if (key !== undefined && !isNavigation(request.headers) && (await this.#viewers.opensFiles(key, page))) {
      const sent = await this.#delivery.sendBelow(
        page,
        rest ?? '',
        request,
        'key',
        visit,
        withKey(page, key),
      );
      if (!sent) throw notFound('This file was not found.');
      return sent;
    }
    const form = this.#viewers.formFor(request, page, rest === LLMS_NAME, visit);
    const { caller, refusal } = await this.#viewers.identify(page, form, request, visit);
    if (refusal) throw refusal;
    if (!page.files && rest !== undefined && form !== 'description') {
      if (isEmpty(rest)) return moved(`/p/${slug}`, request);
      if (!page.spa) throw notFound('This file was not found.');
    }
    const response =
      form === 'personal'
        ? await this.#sendPersonally(page, below, request, caller, visit)
        : ((await this.#texts.send(page, form, rest ?? '', request)) ??
          (await this.#sendAtBase(page, rest, request, visit)));
    const { setCookie } = caller.actor ?? {};
    if (setCookie) {
      response.headers.set('set-cookie', setCookie);
      // An author can ask caches to keep files, and a cache may keep cookies with them.
      response.headers.set('cache-control', 'private, no-store');
    }
    return response;
  }

  async #sendAtBase(
    page: CachedPage,
    rest: string | undefined,
    request: Request,
    visit: Visit | undefined,
    root?: string,
  ): Promise<Response> {
    if (!page.files && rest === undefined) return this.#delivery.send(page, request, 'base', visit);
    if (rest === undefined) return moved(`/p/${page.slug}/`, request);
    const sent = await this.#delivery.sendBelow(page, rest, request, 'base', visit, root);
    if (!sent) throw notFound('This file was not found.');
    return sent;
  }

  /** Responds to a navigation of a visitor who may be logged in. */
  async #sendPersonally(
    page: CachedPage,
    below: Below,
    request: Request,
    caller: Caller,
    visit: Visit,
  ): Promise<Response> {
    const home = this.#addresses.findHome(page, request);
    if (home)
      return this.#entrance.begin(
        home,
        `/${below.rest ?? ''}${readSearch(request)}`,
        caller.actor !== undefined,
      );
    const tokens = this.#viewers.tokensFor(page, caller);
    return this.#sendInSandbox(page, below, request, { caller, tokens, visit });
  }

  /** Sends a page at the base, with the tokens that its script needs to act for its visitor. */
  async #sendInSandbox(
    page: CachedPage,
    { rest, key }: Below,
    request: Request,
    { caller, tokens, visit }: { caller: Caller; tokens: VisitorTokens; visit?: Visit },
  ): Promise<Response> {
    const hasTokens = tokens.pageSession !== undefined || tokens.pass !== undefined;
    // The requests of such a page carry no cookies, so the addresses of its files must have a key.
    if (page.files && !page.isOpen && !(key !== undefined && (await this.#viewers.opensFiles(key, page)))) {
      const fresh = this.#viewers.fileKeyFor(page, caller);
      if (fresh !== undefined) return redirect(`${withKey(page, fresh)}${rest ?? ''}${readSearch(request)}`);
    }
    const isRedirected = page.files !== undefined && rest === undefined;
    const root = page.isOpen || key === undefined ? `/p/${page.slug}/` : withKey(page, key);
    const found =
      hasTokens && !isRedirected
        ? await this.#delivery.documentAt(page, rest ?? '', request, root)
        : undefined;
    if (!found) return this.#sendAtBase(page, rest, request, visit, root);
    if (request.method === 'GET') {
      this.#options.views.count(page.id);
      if (visit) this.#options.loaded(page.id, request, visit, found.path);
    }
    return sendPersonalPage(found.document, tokens, SANDBOX_POLICY);
  }
}

/** The address of a page at the base, with a key for its files. */
const withKey = ({ slug }: CachedPage, key: string) => `/p/${slug}/~${key}/`;

const missing = () => notFound('This page was not found.');

/** The response to a GET of MCP clients of the older revisions, which go on without it. */
const notReadable = () =>
  new AppError(
    'METHOD_NOT_ALLOWED',
    'This is the MCP server of a page. MCP clients send POST requests.',
    {},
    {
      headers: { allow: 'POST' },
    },
  );
