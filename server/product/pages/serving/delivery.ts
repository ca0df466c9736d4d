import type { Visit } from '../../../platform/http/index.ts';
import { decodePath, encodePath } from './files/resolve.ts';
import type { ServedFile } from './files/served-file.ts';
import { findServed } from './files/served-file.ts';
import type { SiteFiles } from './files/site-files.ts';
import { lead, moved } from './moved.ts';
import type { CachedPage } from './page-cache.ts';
import { findFolder, withBase } from './render/base-tag.ts';
import { applyHeaders } from './rules/headers.ts';
import { choosePolicy, type Isolation, type Where } from './sandbox-policy.ts';
import { type SentDocument, sendAsMissing, sendPage } from './send.ts';
import type { Views } from './views.ts';

/** Called when somebody has loaded a document of a page. */
export type Loaded = (
  pageId: number,
  request: Request,
  visit: Pick<Visit, 'address' | 'startedAt'>,
  /** The file that was shown, of a site. */
  path?: string,
) => void;

/** On a page's own host, these paths are the service's unless the page has a file there. */
export const isServicePath = (written: string) => /^(images|assets|mcp|\.well-known)(\/|$)/.test(written);

interface DeliveryOptions {
  isolation: Isolation;
  views: Pick<Views, 'count'>;
  loaded: Loaded;
  files: SiteFiles;
}

/** Sends a page and its files to people who may see it, the same to all of them. */
export class Delivery {
  readonly #options: DeliveryOptions;

  constructor(options: DeliveryOptions) {
    this.#options = options;
  }

  /** Sends the page's own document. */
  send(page: CachedPage, request: Request, where: Where, visit: Visit | undefined): Response {
    page.isUsed = true;
    const response = this.#sendDocument(page, page, request, where, visit);
    return page.isolation ? isolate(response, page, where) : response;
  }

  /** Sends the page's own document to our own browser, which is not a visitor. */
  sendUncounted(page: CachedPage, request: Request, where: Where): Response {
    return sendPage(page, request, this.#to(request, where, true));
  }

  /**
   * Sends what is at a path below a page, written as in the URL. Undefined if nothing is there. `root` is the address of
   * the page if that has a key.
   */
  sendBelow(
    page: CachedPage,
    written: string,
    request: Request,
    where: Where,
    visit: Visit | undefined,
    root?: string,
  ): Response | Promise<Response> | undefined {
    const sent = this.#sendBelow(page, written, request, where, visit, root);
    if (!sent || (!page.rules && !page.isolation)) return sent;
    const finish = (response: Response) => {
      const path = decodePath(written);
      const isRedirect = response.status > 300 && response.status !== 304 && response.status < 400;
      if (isRedirect && !page.isOpen) response.headers.set('cache-control', 'private, no-store');
      if (page.rules && path !== undefined && !isRedirect)
        applyHeaders(page.rules.headers, path, response, {
          isOpen: page.isOpen,
          isKept: isKept(page, path, request, response),
        });
      return isolate(response, page, where);
    };
    return sent instanceof Promise ? sent.then(finish) : finish(sent);
  }

  #sendBelow(
    page: CachedPage,
    written: string,
    request: Request,
    where: Where,
    visit: Visit | undefined,
    root = where === 'own host' ? '/' : `/p/${page.slug}/`,
  ): Response | Promise<Response> | undefined {
    page.isUsed = true;
    // The rules of a page, and what it shows instead of a missing file, do not apply to paths of the service.
    const isServices = root === '/' && isServicePath(written);
    const found = findServed(page, written, isServices ? null : (request.headers.get('accept') ?? ''));
    if (found.kind === 'redirect') return lead(found, root, request);
    if (found.kind === 'page') {
      const folder = findFolder(written, '', root);
      return folder === undefined
        ? this.send(page, request, where, visit)
        : withBase(page, folder).then((based) => this.#sendDocument(page, based, request, where, visit));
    }
    if (found.kind === 'folder') return moved(`${root}${encodePath(found.path)}/`, request);
    if (found.kind === 'missing') {
      // A 404.html that is too large to render does not count.
      return found.file?.isDocument && !isServices
        ? this.#sendMissing(page, found.file, request, where, findFolder(written, found.file.path, root))
        : undefined;
    }
    const { file } = found;
    const { files } = this.#options;
    // A part of a page that its script puts somewhere, such as a header: it is sent as it was written.
    const isPart = request.headers.get('sec-fetch-dest') === 'empty';
    if (!file.isDocument || isPart)
      return files.send(page, file, request, this.#to(request, where, file.isActive));
    const folder = findFolder(written, file.path, root);
    const document = folder === undefined ? files.document(page, file) : this.#load(page, file, folder);
    return document instanceof Promise
      ? document.then((loaded) => this.#sendDocument(page, loaded, request, where, visit, file.path))
      : this.#sendDocument(page, document, request, where, visit, file.path);
  }

  /**
   * The document at a path, if there is one, and its file unless it is the page's own. `root` is the address of the page,
   * for browsers.
   */
  async documentAt(
    page: CachedPage,
    written: string,
    request: Request,
    root?: string,
  ): Promise<{ document: SentDocument; path?: string } | undefined> {
    if (written === '') return { document: page };
    const found = findServed(page, written, request.headers.get('accept') ?? '');
    const find = (path: string) => (root === undefined ? undefined : findFolder(written, path, root));
    if (found.kind === 'page') {
      const folder = find('');
      return { document: folder === undefined ? page : await withBase(page, folder) };
    }
    if (found.kind !== 'file' || !found.file.isDocument) return undefined;
    const { path } = found.file;
    return { document: await this.#load(page, found.file, find(path)), path };
  }

  /** A document that may be shown from another folder than its own. */
  async #load(page: CachedPage, file: ServedFile, folder: string | undefined): Promise<SentDocument> {
    const document = await this.#options.files.document(page, file);
    return folder === undefined ? document : withBase(document, folder);
  }

  #sendDocument(
    page: CachedPage,
    document: SentDocument,
    request: Request,
    where: Where,
    visit: Visit | undefined,
    path?: string,
  ): Response {
    const response = sendPage(document, request, this.#to(request, where, true), visit);
    if (request.method !== 'GET') return response;
    if (response.status === 200) this.#options.views.count(page.id);
    // A browser that has the document already is a visitor too.
    if (visit) this.#options.loaded(page.id, request, visit, path);
    return response;
  }

  async #sendMissing(
    page: CachedPage,
    file: ServedFile,
    request: Request,
    where: Where,
    folder: string | undefined,
  ): Promise<Response> {
    const document = await this.#load(page, file, folder);
    return sendAsMissing(document, request, this.#to(request, where, true));
  }

  #to(request: Request, where: Where, isActive: boolean) {
    return choosePolicy(this.#options.isolation, request, where, isActive);
  }
}

/**
 * Whether a cache may keep a response for everybody who asks for the path: it is the file of that path, and not a form of
 * it that only scripts or frames get.
 */
function isKept({ files }: CachedPage, path: string, { headers }: Request, { status }: Response): boolean {
  if (status >= 400) return false;
  const destination = headers.get('sec-fetch-dest') ?? '';
  const isDocument = path === '' || /(?:\/|\.html?)$/i.test(path) || !files?.has(path);
  if (isDocument && destination !== '' && destination !== 'document') return false;
  const names = path.endsWith('/') ? [`${path}index.html`] : [path, `${path}.html`];
  return path === '' || names.some((name) => files?.has(name));
}

/** Adds what the page asks browsers for on its own host. A copy for frames of others keeps its own policy. */
function isolate(response: Response, { isolation = {} }: CachedPage, where: Where): Response {
  if (where !== 'own host') return response;
  for (const [name, value] of Object.entries(isolation))
    if (!response.headers.has(name)) response.headers.set(name, value);
  return response;
}
