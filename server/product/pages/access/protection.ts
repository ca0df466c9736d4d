import type { Endpoint } from '../../../../contract/endpoint.ts';
import { readChanges } from '../../../../contract/protection.ts';
import { AppError } from '../../../lib/errors.ts';
import type { Actor, Caller } from '../../../platform/http/index.ts';
import type { Db, PageRow } from '../../../platform/storage/index.ts';
import type { PageDirectory } from '../model/directory.ts';
import { namesBranch, onlyPeopleOpen, opensBranch } from './branch-opening.ts';
import {
  changesDatabases,
  changesNothing,
  isDecidable,
  makesFunction,
  mergesBranch,
  read,
} from './protected-requests.ts';

interface ProtectionOptions {
  db: Db;
  directory: Pick<PageDirectory, 'find' | 'refusal' | 'resolveRole'>;
  /**
   * The pages that a change of a function of this person concerns: its own, and all that use its database. Null stands for
   * functions without a page.
   */
  listPagesOfFunction(db: Db, slug: string, ownerId: number): Promise<Array<number | null>>;
  /** The pages that use a database of this page, also itself. Null stands for functions without a page. */
  listPagesBeside(db: Db, pageId: number): Promise<Array<number | null>>;
  /** Where a person merges a branch; undefined if there is none with this name. */
  findMergeUrl(db: Db, pageId: number, name: string): Promise<string | undefined>;
  /** Whether a page is a branch. */
  isBranch(page: PageRow): boolean;
}

interface Request {
  params: Record<string, string>;
  /** Missing until it is read. */
  body?: unknown;
}

/**
 * Refuses what programs would change on protected pages, before any route runs. It asks only what an endpoint says that
 * it changes, so that a new endpoint that changes pages is refused too. People are never refused: see `isProgram`. Who has
 * no role on a page gets the answer of the route, so that this says nothing about pages that they cannot see.
 */
export class Protection {
  readonly #options: ProtectionOptions;

  constructor(options: ProtectionOptions) {
    this.#options = options;
  }

  async assertAllowed(route: Endpoint, request: Request, caller: Caller): Promise<void> {
    const { actor } = caller;
    if (!actor?.isProgram) return;
    if ('body' in request) await this.#assertStaysClosed(route, request, actor);
    const changes = readChanges(route);
    if (!isDecidable(route.path, changes, request) || changesNothing(route.path, request.body)) return;
    if (changes === 'new') {
      if (actor.isForBranches) throw onlyBranches();
      return;
    }
    for (const page of await this.#findTargets(route.path, request, actor)) {
      if (page && this.#options.isBranch(page)) continue;
      const isRefused = actor.isForBranches
        ? !page || (await this.#isSeen(page, caller))
        : page?.protected === 1 && changes === 'application' && (await this.#hasRole(page, actor));
      if (!isRefused) continue;
      throw (
        (await this.#refuseMerge(route.path, request, actor)) ??
        (page && !actor.isForBranches ? isProtected(page) : onlyBranches())
      );
    }
  }

  /** The refusal of a merge, with where a person can do it. */
  async #refuseMerge(path: string, { params }: Request, { userId }: Actor): Promise<AppError | undefined> {
    if (!mergesBranch(path)) return undefined;
    const { db, directory, findMergeUrl } = this.#options;
    const main = await directory.find(db, params.id ?? '');
    if (main?.owner_id !== userId) return undefined;
    const link = await findMergeUrl(db, main.id, params.name ?? '');
    return link === undefined ? undefined : onlyPeopleMerge(link);
  }

  /** Refuses to show a branch to others than its team: to programs for branches, and if its page is protected. */
  async #assertStaysClosed(
    { method, path }: Endpoint,
    { params, body }: Request,
    actor: Actor,
  ): Promise<void> {
    if (!opensBranch({ method, path, body })) return;
    const { db, directory, isBranch } = this.#options;
    const named = await directory.find(db, params.id ?? '');
    if (!named || (!namesBranch(path) && !isBranch(named)) || !(await this.#hasRole(named, actor))) return;
    const main = named.branch_of === null ? named : await directory.find(db, String(named.branch_of));
    if (actor.isForBranches || main?.protected === 1) throw onlyPeopleOpen();
  }

  /**
   * The pages that a request is about, with those whose functions share a database that it may change. Undefined stands for
   * a function that belongs to no page.
   */
  async #findTargets(
    path: string,
    { params, body }: Request,
    actor: Actor,
  ): Promise<Array<PageRow | undefined>> {
    const { db, directory, listPagesOfFunction, listPagesBeside } = this.#options;
    if (path.startsWith('/api/pages/:id')) {
      const page = await directory.find(db, params.id ?? '');
      if (!page) return [];
      if (!changesDatabases(path, body, actor)) return [page];
      const beside = await listPagesBeside(db, page.id);
      return [page, ...(await this.#findPages(beside.filter((id) => id !== page.id)))];
    }
    const shared = read(body, 'useDatabase');
    const slugs = [params.slug, shared].filter((slug) => typeof slug === 'string');
    const ids = await Promise.all(slugs.map((slug) => listPagesOfFunction(db, slug, actor.userId)));
    const found = await this.#findPages([...new Set(ids.flat())]);
    if (makesFunction(path)) found.push(...(await this.#findNewPage(read(body, 'pageId'))));
    return found;
  }

  /** The page of a new function. Without one, the next page that calls it takes it. */
  async #findNewPage(pageId: unknown): Promise<Array<PageRow | undefined>> {
    if (typeof pageId !== 'number') return [undefined];
    const page = await this.#options.directory.find(this.#options.db, String(pageId));
    return page ? [page] : [];
  }

  #findPages(ids: ReadonlyArray<number | null>): Promise<Array<PageRow | undefined>> {
    const { db, directory } = this.#options;
    return Promise.all(ids.map(async (id) => (id === null ? undefined : directory.find(db, String(id)))));
  }

  async #isSeen(page: PageRow, caller: Caller): Promise<boolean> {
    const { db, directory } = this.#options;
    return (
      (await directory.refusal(db, page, caller)) === undefined || (await this.#hasRole(page, caller.actor))
    );
  }

  async #hasRole(page: PageRow, actor: Actor | undefined): Promise<boolean> {
    const { db, directory } = this.#options;
    return (await directory.resolveRole(db, page, actor)) !== undefined;
  }
}

function isProtected({ id }: PageRow): AppError {
  return new AppError(
    'PROTECTED',
    'The page {id} is protected: programs cannot change it, its functions or its databases. Make a branch with POST /api/pages/{id}/branches and change that, or save a draft with POST /api/pages/{id}/drafts. A person looks at it and brings the change to the page. A person can turn the protection off in the settings of the page.',
    { id: String(id) },
  );
}

function onlyPeopleMerge(link: string): AppError {
  return new AppError(
    'PROTECTED',
    'A person has to merge this branch: it would change a page that is protected from programs, or this token can only change branches. Send them the link of this response: there they see what changes, and merge it.',
    {},
    { body: { link } },
  );
}

function onlyBranches(): AppError {
  return new AppError(
    'PROTECTED',
    'This token can only change branches. Make a branch of the page with POST /api/pages/:id/branches and change that; a new function of it needs its id as pageId. A person looks at it and brings the change to the page.',
  );
}
