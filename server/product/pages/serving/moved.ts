import { canonicalSlug } from '../../../../contract/rules/pages/page-slugs.ts';
import type { Visit } from '../../../platform/http/index.ts';
import type { Db } from '../../../platform/storage/index.ts';
import { isOpen, type PageAccess } from '../model/access-policy.ts';
import { idOfHidden } from '../model/hidden-page.ts';
import { findRenamed } from '../model/old-slug-store.ts';
import type { PageCache } from './page-cache.ts';
import type { Viewers } from './viewers.ts';

/** Finds where a slug that no page has leads to. */
export class MovedPages {
  readonly #options: { db: Db; cache: PageCache; viewers: Viewers };

  constructor(options: { db: Db; cache: PageCache; viewers: Viewers }) {
    this.#options = options;
  }

  /** A redirect to the page with its present slug, if the caller can see one. `rest` is what follows the slug. */
  async find(slug: string, rest: string, request: Request, visit: Visit): Promise<Response | undefined> {
    const current =
      (await this.#hidden(slug, request, visit)) ??
      (await this.#renamed(slug, request, visit)) ??
      (await this.#canonical(slug, request, visit));
    return current === undefined ? undefined : moved(`/p/${current}${rest}`, request);
  }

  /** Redirects an address with an id instead of a slug. */
  async #hidden(slug: string, request: Request, visit: Visit): Promise<string | undefined> {
    const id = idOfHidden(slug);
    const page = id === undefined ? undefined : await this.#options.cache.load(id);
    return page && this.#slugFor({ ...page.access, slug: page.slug }, request, visit);
  }

  async #renamed(slug: string, request: Request, visit: Visit): Promise<string | undefined> {
    const page = await findRenamed(this.#options.db, slug);
    return page && this.#slugFor(page, request, visit);
  }

  /** The slug for the caller, who gets it only if they can see the page: a slug says what a page is about. */
  async #slugFor(page: PageAccess & { slug: string }, request: Request, visit: Visit): Promise<string> {
    const { viewers } = this.#options;
    if (!isOpen(page)) await viewers.admit(page, await viewers.identifyCaller(request, visit));
    return page.slug;
  }

  /** Redirects `/p/My-Page/` to `/p/my-page`, if the caller can see that page. */
  async #canonical(slug: string, request: Request, visit: Visit): Promise<string | undefined> {
    const { cache } = this.#options;
    const canonical = canonicalSlug(slug);
    if (canonical === slug) return undefined;
    const page = cache.bySlug(canonical) ?? (await cache.load(canonical));
    if (!page) return this.#renamed(canonical, request, visit);
    return this.#slugFor({ ...page.access, slug: canonical }, request, visit);
  }
}

/** The query with its question mark, without the cost of parsing the whole URL. */
export function readSearch({ url }: Request): string {
  const at = url.indexOf('?');
  return at === -1 ? '' : url.slice(at);
}

/** A redirect by a rule of the page, whose paths begin at its root. The query is kept unless the rule has its own. */
export function lead(
  { to, status }: { to: string; status: number },
  root: string,
  request: Request,
): Response {
  const location = toLocation(to, root);
  const query = location.includes('?') ? '' : readSearch(request);
  const [, before = '', fragment = ''] = /^([^#]*)(#.*)?$/s.exec(location) ?? [];
  return new Response(null, {
    status,
    headers: { location: before + query + fragment, 'cache-control': 'no-cache' },
  });
}

/** The address that a target of a rule means. */
const toLocation = (to: string, root: string) => (to.startsWith('/') ? root + to.replace(/^\/+/, '') : to);

/** A permanent redirect that keeps the query. */
export function moved(path: string, request: Request): Response {
  return new Response(null, {
    status: 301,
    headers: { location: path + readSearch(request), 'cache-control': 'no-cache' },
  });
}
