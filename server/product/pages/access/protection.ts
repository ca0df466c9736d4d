import type { Endpoint } from '../../../../contract/endpoint.ts';
import { readChanges } from '../../../../contract/protection.ts';
import { isReading } from '../../../../contract/rules/sql-statements.ts';
import { AppError } from '../../../lib/errors.ts';
import type { Actor, Caller } from '../../../platform/http/index.ts';
import type { Db, PageRow } from '../../../platform/storage/index.ts';
import type { PageDirectory } from '../model/directory.ts';
import { namesBranch, onlyPeopleOpen, opensBranch } from './branch-opening.ts';

interface ProtectionOptions {
  db: Db;
  directory: Pick<PageDirectory, 'find' | 'refusal' | 'resolveRole'>;
  /** The page that a function belongs to; null without one, undefined if there is no such function of this person. */
  findPageOfFunction(db: Db, slug: string, ownerId: number): Promise<number | null | undefined>;
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
    if (changes === 'nothing' || BY_BODY.test(route.path) !== 'body' in request) return;
    if (changesNothing(route.path, request.body)) return;
    if (changes === 'new') {
      if (actor.isForBranches) throw onlyBranches();
      return;
    }
    for (const page of await this.#findTargets(route.path, request, actor)) {
      if (page && this.#options.isBranch(page)) continue;
      if (actor.isForBranches) {
        if (!page || (await this.#isSeen(page, caller))) throw onlyBranches();
      } else if (page?.protected === 1 && changes === 'application' && (await this.#hasRole(page, actor)))
        throw isProtected(page);
    }
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

  /** The pages that a request is about. Undefined stands for a function that belongs to no page. */
  async #findTargets(
    path: string,
    { params, body }: Request,
    actor: Actor,
  ): Promise<Array<PageRow | undefined>> {
    const { db, directory } = this.#options;
    if (path.startsWith('/api/pages/:id')) {
      const page = await directory.find(db, params.id ?? '');
      return page ? [page] : [];
    }
    const shared = read(body, 'useDatabase');
    const slugs = [params.slug, shared].filter((slug) => typeof slug === 'string');
    const found = await Promise.all(slugs.map((slug) => this.#findByFunction(slug, actor)));
    if (path === FUNCTIONS_PATH) found.push(await this.#findNewPage(read(body, 'pageId')));
    return found.flat();
  }

  /** The page of a new function. Without one, the next page that calls it takes it. */
  async #findNewPage(pageId: unknown): Promise<Array<PageRow | undefined>> {
    if (typeof pageId !== 'number') return [undefined];
    const page = await this.#options.directory.find(this.#options.db, String(pageId));
    return page ? [page] : [];
  }

  async #findByFunction(slug: string, { userId }: Actor): Promise<Array<PageRow | undefined>> {
    const { db, directory, findPageOfFunction } = this.#options;
    const id = await findPageOfFunction(db, slug, userId);
    if (id === undefined) return [];
    return [id === null ? undefined : await directory.find(db, String(id))];
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

/** Endpoints whose body says what they change. */
const BY_BODY = /^\/api\/(functions|functions\/:slug\/database|pages\/:id\/restore)$/;
/** Endpoints that only say what they would do, if the body asks for a dry run. */
const CAN_RUN_DRY = /^\/api\/pages\/:id\/restore$/;
const FUNCTIONS_PATH = '/api/functions';
const SQL_PATH = '/api/functions/:slug/database';

const read = (body: unknown, field: string): unknown =>
  typeof body === 'object' && body !== null ? (body as Record<string, unknown>)[field] : undefined;

/** A dry run changes nothing, nor does an SQL statement that only reads. */
function changesNothing(path: string, body: unknown): boolean {
  if (typeof body !== 'object' || body === null) return false;
  if (CAN_RUN_DRY.test(path)) return 'dry_run' in body && body.dry_run === true;
  return path === SQL_PATH && 'sql' in body && typeof body.sql === 'string' && isReading(body.sql);
}

function isProtected({ id }: PageRow): AppError {
  return new AppError(
    'PROTECTED',
    'This page is protected: programs cannot change it. Make a branch with POST /api/pages/{id}/branches and change that, or save a draft with POST /api/pages/{id}/drafts. A person looks at it and brings the change to the page. A person can turn the protection off in the settings of the page.',
    { id: String(id) },
  );
}

function onlyBranches(): AppError {
  return new AppError(
    'PROTECTED',
    'This token can only change branches. Make a branch of the page with POST /api/pages/:id/branches and change that; a new function of it needs its id as pageId. A person looks at it and brings the change to the page.',
  );
}
