import { canonicalSlug } from '../../../../contract/rules/page-slugs.ts';
import type { Visit } from '../../../platform/http/index.ts';
import type { Db } from '../../../platform/storage/index.ts';
import { findRenamed } from '../slug-store.ts';
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
    const current = (await this.#renamed(slug)) ?? (await this.#canonical(slug, request, visit));
    return current === undefined ? undefined : moved(`/p/${current}${rest}`, request);
  }

  async #renamed(slug: string): Promise<string | undefined> {
    const page = await findRenamed(this.#options.db, slug);
    return page?.is_published === 1 ? page.slug : undefined;
  }

  /** `/p/My-Page/` means `/p/my-page`, if the caller can see that page. */
  async #canonical(slug: string, request: Request, visit: Visit): Promise<string | undefined> {
    const { cache, viewers } = this.#options;
    const canonical = canonicalSlug(slug);
    if (canonical === slug) return undefined;
    const page = cache.bySlug(canonical) ?? (await cache.load(canonical));
    if (!page) return this.#renamed(canonical);
    const actor = page.isPublished ? undefined : await viewers.whoIs(request, visit);
    return (await viewers.maySee(page, actor)) ? canonical : undefined;
  }
}

/** The query with its question mark, without the cost of parsing the whole URL. */
export function searchOf({ url }: Request): string {
  const at = url.indexOf('?');
  return at === -1 ? '' : url.slice(at);
}

/** A permanent redirect that keeps the query. */
export function moved(path: string, request: Request): Response {
  return new Response(null, {
    status: 301,
    headers: { location: path + searchOf(request), 'cache-control': 'no-cache' },
  });
}
