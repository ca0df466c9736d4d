import { encodePath } from './files/resolve.ts';
import type { ServedFile } from './files/served-file.ts';
import { findServed } from './files/served-file.ts';
import type { SiteFiles } from './files/site-files.ts';
import { moved } from './moved.ts';
import type { CachedPage } from './page-cache.ts';
import type { Place } from './prepared.ts';
import { type SentDocument, sendAsMissing, sendPage } from './send.ts';
import type { Views } from './views.ts';

/**
 * Removes a page's script from our origin: no cookies, no storage, no access to us. Windows it opens are not
 * sandboxed, because otherwise nobody could log in there.
 */
export const SANDBOX_POLICY =
  'sandbox allow-scripts allow-forms allow-popups allow-popups-to-escape-sandbox allow-modals allow-downloads allow-pointer-lock allow-orientation-lock allow-presentation';

type Where = Exclude<Place, 'frame'>;

/** On a page's own host, these paths are the service's unless the page has a file there. */
export const isServicePath = (written: string) => /^(images|assets|mcp|\.well-known)(\/|$)/.test(written);

interface DeliveryOptions {
  isolation: 'origin' | 'sandbox' | 'trusted';
  views: Views;
  files: SiteFiles;
}

/** Sends a page and its files to people who may see it, the same to all of them. */
export class Delivery {
  readonly #options: DeliveryOptions;
  readonly #basePolicy: string | undefined;

  constructor(options: DeliveryOptions) {
    this.#options = options;
    this.#basePolicy = options.isolation === 'trusted' ? undefined : SANDBOX_POLICY;
  }

  /** Sends the page's own document. */
  send(page: CachedPage, request: Request, where: Where): Response {
    page.isUsed = true;
    return this.#sendDocument(page, page, request, where);
  }

  /** Sends what is at a path below a page with files, written as in the URL. Undefined if nothing is there. */
  sendBelow(
    page: CachedPage,
    written: string,
    request: Request,
    where: Where,
  ): Response | Promise<Response> | undefined {
    page.isUsed = true;
    const found = findServed(page, written);
    if (found.kind === 'page') return this.send(page, request, where);
    if (found.kind === 'folder') {
      const root = where === 'own host' ? '/' : `/p/${page.slug}/`;
      return moved(`${root}${encodePath(found.path)}/`, request);
    }
    if (found.kind === 'missing') {
      // A 404.html that is too large to be rendered is none, and it has nothing to say about the service.
      const isServices = where === 'own host' && isServicePath(written);
      return found.file?.isDocument && !isServices
        ? this.#sendMissing(page, found.file, request, where)
        : undefined;
    }
    const { file } = found;
    const { files } = this.#options;
    if (!file.isDocument) return files.send(page, file, request, this.#to(request, where, file.isActive));
    const document = files.document(page, file);
    return document instanceof Promise
      ? document.then((loaded) => this.#sendDocument(page, loaded, request, where))
      : this.#sendDocument(page, document, request, where);
  }

  /** The document at a path, if there is one. */
  async documentAt(page: CachedPage, written: string): Promise<SentDocument | undefined> {
    if (written === '') return page;
    const found = findServed(page, written);
    if (found.kind === 'page') return page;
    return found.kind === 'file' && found.file.isDocument
      ? this.#options.files.document(page, found.file)
      : undefined;
  }

  #sendDocument(page: CachedPage, document: SentDocument, request: Request, where: Where): Response {
    const { response, isView } = sendPage(document, request, this.#to(request, where, true));
    if (isView) this.#options.views.count(page.id);
    return response;
  }

  async #sendMissing(page: CachedPage, file: ServedFile, request: Request, where: Where): Promise<Response> {
    const document = await this.#options.files.document(page, file);
    return sendAsMissing(document, request, this.#to(request, where, true));
  }

  #to(request: Request, where: Where, isActive: boolean): { place: Place; policy: string | undefined } {
    if (where !== 'own host') return { place: where, policy: this.#basePolicy };
    return isActive && isForeignFrame(request)
      ? { place: 'frame', policy: SANDBOX_POLICY }
      : { place: 'own host', policy: undefined };
  }
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
