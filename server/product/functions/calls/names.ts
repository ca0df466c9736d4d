import { BRANCH_PARAM } from '../../../../contract/functions/call-tickets.ts';
import type { Visit } from '../../../platform/http/index.ts';
import type { Db, PageRow } from '../../../platform/storage/index.ts';
import type { PageDirectory } from '../../ports.ts';
import { findInBranch } from '../model/branch-store.ts';
import { takeParam } from './call-tickets.ts';
import type { LiveFunction, Registry } from './registry.ts';

/** Pages that are known to be branches, or not. */
const MAX_KNOWN = 20_000;

interface NamesOptions {
  db: Db;
  pages: Pick<PageDirectory, 'find'>;
  registry: Pick<Registry, 'bySlug' | 'byId'>;
}

/**
 * What the names of functions mean. From a branch, a name means the branch's own copy, and a name that the branch does not
 * have means nothing. From everywhere else it is the slug of a function.
 */
export class FunctionNames {
  readonly #options: NamesOptions;
  /** Whether a page is a branch never changes. */
  readonly #known = new Map<number, boolean>();

  constructor(options: NamesOptions) {
    this.#options = options;
  }

  /** Finds the function that a request calls by this name. Also returns the path without what says where it came from. */
  find(
    name: string,
    request: Request,
    { path, pageHost }: { path: string; pageHost?: Visit['pageHost'] },
  ): LiveFunction | undefined | Promise<LiveFunction | undefined> {
    const { value: named } = takeParam(path, BRANCH_PARAM);
    if (named !== undefined && /^[1-9]\d{0,14}$/.test(named)) return this.#fromPage(Number(named), name);
    if (pageHost) return this.#fromPage(pageHost.pageId, name);
    const slug = readReferrer(request);
    if (slug !== undefined) return this.#fromSlug(slug, name);
    return this.#options.registry.bySlug(name);
  }

  /** Finds the function that a page, or a function of it, calls by this name. */
  async findFor(page: Pick<PageRow, 'id' | 'branch_of'>, name: string): Promise<LiveFunction | undefined> {
    if (page.branch_of !== null) return this.#inBranch(page.id, name);
    const found = await this.#options.registry.bySlug(name);
    // Who sees a page may not see its branches.
    return found && found.branchSlug !== null && found.pageId !== page.id ? undefined : found;
  }

  /** Finds the function that another one calls by this name. */
  async findBetween(from: LiveFunction, name: string): Promise<LiveFunction | undefined> {
    if (from.branchSlug === null || from.pageId === null) return this.#options.registry.bySlug(name);
    return this.#inBranch(from.pageId, name);
  }

  #fromPage(pageId: number, name: string): LiveFunction | undefined | Promise<LiveFunction | undefined> {
    const isBranch = this.#known.get(pageId);
    if (isBranch === false) return this.#options.registry.bySlug(name);
    return isBranch ? this.#inBranch(pageId, name) : this.#learn(pageId, name);
  }

  async #learn(pageId: number, name: string): Promise<LiveFunction | undefined> {
    const { db, pages, registry } = this.#options;
    const page = await pages.find(db, String(pageId));
    if (!page) return registry.bySlug(name);
    if (this.#known.size >= MAX_KNOWN) this.#known.clear();
    this.#known.set(pageId, page.branch_of !== null);
    return this.findFor(page, name);
  }

  async #fromSlug(slug: string, name: string): Promise<LiveFunction | undefined> {
    const { db, pages, registry } = this.#options;
    const page = await pages.find(db, slug);
    return page ? this.findFor(page, name) : registry.bySlug(name);
  }

  async #inBranch(pageId: number, name: string): Promise<LiveFunction | undefined> {
    const { db, registry } = this.#options;
    const id = await findInBranch(db, pageId, name);
    if (id !== undefined) return registry.byId(id);
    const found = await registry.bySlug(name);
    // The functions of the service itself are everybody's. A copy can also be called by the slug that it really has.
    return found && (found.ownerId === null || found.pageId === pageId) ? found : undefined;
  }
}

/** The slug of the branch whose page sent a request, where pages have no host of their own. Only branches have such slugs. */
function readReferrer({ headers }: Request): string | undefined {
  const referrer = headers.get('referer');
  if (!referrer?.includes('--')) return undefined;
  return /^https?:\/\/[^/]+\/p\/([a-z0-9-]+--[a-z0-9-]+)(?:[/?]|$)/.exec(referrer)?.[1];
}
