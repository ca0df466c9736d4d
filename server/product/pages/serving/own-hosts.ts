import { isReservedPath } from '../../../../contract/rules/file-paths.ts';
import { notFound } from '../../../lib/errors.ts';
import { PAGE_COOKIE, type PageHost, type Visit } from '../../../platform/http/index.ts';
import { type Addresses, opensTab } from './addresses.ts';
import { type Delivery, isServicePath } from './delivery.ts';
import { type Entrance, redirect, SESSION_PATH } from './entrance.ts';
import { findServed } from './files/served-file.ts';
import { readSearch } from './moved.ts';
import type { CachedPage, PageCache } from './page-cache.ts';
import type { Previews } from './previews/previews.ts';
import { SDK_PATH, type Sdk } from './sdk-bundle.ts';
import { LLMS_PATH, type PageTexts } from './texts/page-texts.ts';
import { FRAME_NAME, FRAME_PATH, type UnclaimedPages } from './unclaimed/unclaimed.ts';
import type { Viewers, ViewersOptions } from './viewers.ts';

export type OnPageHost = Visit & { pageHost: PageHost };

interface OwnHostsOptions {
  baseUrl: string;
  cookies: ViewersOptions['cookies'];
  cache: PageCache;
  sdk: Sdk;
  previews: Previews;
  addresses: Addresses;
  entrance: Entrance;
  viewers: Viewers;
  delivery: Delivery;
  texts: PageTexts;
  unclaimed: UnclaimedPages;
}

/** Serves pages on their own hosts: one below the host of pages, and their domains. */
export class OwnHosts {
  readonly #options: OwnHostsOptions;

  constructor(options: OwnHostsOptions) {
    this.#options = options;
  }

  /** Serves a path on a page's host. Undefined if the path does not belong to the page. */
  serve(
    request: Request,
    path: string,
    visit: OnPageHost,
  ): Response | Promise<Response | undefined> | undefined {
    const { pageId } = visit.pageHost;
    if (request.headers.has('service-worker')) return this.#serveWorker(request, path, visit);
    if (path.startsWith('/~')) {
      const reserved = this.#reserved(request, path, visit);
      if (reserved) return reserved;
    }
    const script = path.startsWith(SDK_PATH) && this.#options.sdk.respond(request, path);
    if (script) return script;
    if (isReservedPath(path.slice(1))) return undefined;
    const page = this.#options.cache.byId(pageId);
    if (page?.isOpen && this.#leadsAway(page, path)) return this.#toService(request, path);
    const { viewers } = this.#options;
    if (page?.isOpen && viewers.formFor(request, page, path === LLMS_PATH, visit) === 'plain')
      return this.#send(page, path, request, visit);
    return this.#serveUncached(request, path, visit);
  }

  /**
   * Sends the script of a service worker, if the owner allows one and the visitor can see the page. If that was so before,
   * it sends a script that ends the worker which a browser may still have: it would go on without the page.
   */
  async #serveWorker(request: Request, path: string, visit: OnPageHost): Promise<Response> {
    const { cache, viewers } = this.#options;
    const { pageId } = visit.pageHost;
    const page = cache.byId(pageId) ?? (await cache.load(pageId));
    if (page?.worker === 'never') return new Response(null, { status: 403 });
    if (page?.worker !== 'allowed' || path.startsWith('/~')) return endWorker();
    const { refusal } = await viewers.identify(page, 'plain', request, visit);
    const sent = refusal ? undefined : await this.#send(page, path, request, visit);
    // 304 is the usual response to a browser that looks for a new version.
    return sent && (sent.status < 300 || sent.status === 304) ? sent : endWorker();
  }

  /** Links between pages are written `/p/other`. They lead to the service, unless this page has a file there. */
  #leadsAway(page: CachedPage, path: string): boolean {
    if (!path.startsWith('/p/')) return false;
    return !page.files || findServed(page, path.slice(1), '').kind === 'missing';
  }

  #toService(request: Request, path: string): Response {
    return redirect(this.#options.baseUrl + path + readSearch(request));
  }

  /** Paths on a page's host that no file of it can have. */
  #reserved(request: Request, path: string, visit: OnPageHost): Promise<Response> | undefined {
    const { pageHost } = visit;
    if (path === SESSION_PATH) return this.#options.entrance.enter(request, pageHost);
    if (path === FRAME_PATH) return this.#serveUnclaimed(request, visit);
    return this.#options.previews.send(request, path.slice(1), pageHost);
  }

  /** Sends the document of a page that nobody has claimed. */
  async #serveUnclaimed(request: Request, visit: OnPageHost): Promise<Response> {
    const { cache, unclaimed } = this.#options;
    const { pageId } = visit.pageHost;
    const page = cache.byId(pageId) ?? (await cache.load(pageId));
    const sent = page && (await unclaimed.send(page, FRAME_NAME, request, visit));
    if (!sent) throw notFound('This file was not found.');
    return sent;
  }

  #send(page: CachedPage, path: string, request: Request, visit: OnPageHost) {
    const { pageHost } = visit;
    if (page.domain !== null && page.domain !== pageHost.domain && opensTab(request))
      return this.#toMainAddress(page, path, request);
    if (path === '/' && !page.rules) return this.#options.delivery.send(page, request, 'own host', visit);
    if (!page.files && !page.spa) return undefined;
    return this.#options.delivery.sendBelow(page, path.slice(1), request, 'own host', visit);
  }

  /** Redirects from another host of the page. A visitor who has a page session here gets one there. */
  #toMainAddress(page: CachedPage, path: string, request: Request): Response {
    const { cookies } = this.#options;
    const home = this.#options.addresses.findHome(page, request) ?? '';
    const hasSession = cookies.read(request, PAGE_COOKIE) !== undefined;
    return this.#options.entrance.begin(home, path + readSearch(request), hasSession);
  }

  async #serveUncached(request: Request, path: string, visit: OnPageHost): Promise<Response | undefined> {
    const { cache, viewers, texts, unclaimed } = this.#options;
    const { pageId } = visit.pageHost;
    const page = cache.byId(pageId) ?? (await cache.load(pageId));
    if (page?.access.claim_hash && !isServicePath(path.slice(1))) {
      const sent = await unclaimed.send(page, path.slice(1), request, visit);
      if (sent) return sent;
    }
    const form = page && viewers.formFor(request, page, path === LLMS_PATH, visit);
    const refusal = form
      ? (await viewers.identify(page, form, request, visit)).refusal
      : notFound('This page was not found.');
    // Somebody who cannot see the page must not learn which files it has.
    if (path.startsWith('/p/') && (refusal || !page || this.#leadsAway(page, path)))
      return this.#toService(request, path);
    // Error screens need the paths of the service too.
    if (refusal && isServicePath(path.slice(1))) return undefined;
    if (refusal || !form) throw refusal;
    return (await texts.send(page, form, path.slice(1), request)) ?? this.#send(page, path, request, visit);
  }
}

const END_WORKER =
  'addEventListener("install", () => skipWaiting()); addEventListener("activate", () => registration.unregister());';

const endWorker = () =>
  new Response(END_WORKER, {
    headers: { 'content-type': 'text/javascript; charset=utf-8', 'cache-control': 'no-store' },
  });
