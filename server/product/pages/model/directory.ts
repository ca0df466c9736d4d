import { VISITOR } from '../../../../contract/pages/previews.ts';
import { type GrantableRole, ROLES, type Role } from '../../../../contract/roles.ts';
import { AppError, notFound } from '../../../lib/errors.ts';
import type { Actor, Caller } from '../../../platform/http/index.ts';
import { type Db, keepRows, type PageRow, type Tx } from '../../../platform/storage/index.ts';
import { type AccessDenial, isBlocked, isOpen, type PageAccess, refusalFor } from './access-policy.ts';
import { isAmongPeople } from './access-store.ts';
import { hidden } from './hidden-page.ts';
import { refusalError } from './page-closed.ts';
import { findPage, findPageBySlug, listPageNames, lockPage, updatePage } from './page-store.ts';
import type { Passes } from './passes.ts';

export type { PageAccess } from './access-policy.ts';

/** What a user can do with a page that they work on. */
type PageAction = 'read' | 'write' | 'own';

/** The person whose role is asked for. It is the whole caller, because a preview lowers the role. */
type RoleHolder = Pick<Actor, 'userId' | 'maxRole'>;

/** The role of a user on a page's team; undefined if they are not in it. */
type FindRole = (
  db: Db,
  page: Pick<PageAccess, 'id' | 'branch_of'>,
  userId: number,
) => Promise<GrantableRole | undefined>;

/** The part of a page that says who has a role on it. */
type PageWithRoles = Pick<PageAccess, 'id' | 'owner_id' | 'storage_mode' | 'branch_of'>;

interface DirectoryOptions {
  findRole: FindRole;
  passes: Passes;
  /** The address of a user, if it is confirmed. */
  findConfirmedEmail(db: Db, userId: number): Promise<string | undefined>;
  /** Whether the account of a user is suspended, or about to be deleted. */
  isBlocked(db: Db, userId: number): Promise<boolean>;
  now: () => number;
}

/** How other slices find pages, and the only place that decides who can do what with a page. */
export class PageDirectory {
  readonly passes: Passes;
  readonly #options: DirectoryOptions;

  constructor(options: DirectoryOptions) {
    this.#options = options;
    this.passes = options.passes;
  }

  /** Finds a page by id or slug: digits alone always mean the id. */
  async find(db: Db, idOrSlug: string): Promise<PageRow | undefined> {
    if (!/^\d+$/.test(idOrSlug)) return findPageBySlug(db, idOrSlug);
    const id = Number(idOrSlug);
    return Number.isSafeInteger(id) ? findPage(db, id) : undefined;
  }

  /** Reads a page and locks it until this transaction ends. */
  lock(tx: Tx, id: number): Promise<PageRow | undefined> {
    return lockPage(tx, id);
  }

  /** Notes the collections of a page whose changes its functions get. */
  noteTriggers(tx: Tx, id: number, collections: readonly string[]): Promise<void> {
    return updatePage(tx, id, { triggers: collections.length === 0 ? null : JSON.stringify(collections) });
  }

  /** The pages with these ids that exist. They cannot be deleted until this transaction ends. */
  existing(tx: Tx, ids: number[]): Promise<Set<number>> {
    return keepRows(tx, 'pages', ids);
  }

  /** Describes pages for lists of other slices, without deleted pages and names that the user cannot see. */
  async describe(db: Db, ids: number[], actor: Actor): Promise<Map<number, PageSummary>> {
    const rows = ids.length === 0 ? [] : await listPageNames(db, [...new Set(ids)]);
    const found = new Map<number, PageSummary>();
    for (const row of rows) {
      const isHidden = (await this.refusal(db, row, { actor })) !== undefined;
      found.set(row.id, isHidden ? hidden(row) : row);
    }
    return found;
  }

  /** The role of a user on a page. Only the team mode has a team. In a preview it can be lower than their own. */
  async resolveRole(db: Db, page: PageWithRoles, actor: RoleHolder | undefined): Promise<Role | undefined> {
    const role = actor && (await this.#ownRole(db, page, actor.userId));
    if (!role || actor?.maxRole === undefined) return role;
    if (actor.maxRole === VISITOR) return undefined;
    return ROLES.indexOf(actor.maxRole) > ROLES.indexOf(role) ? actor.maxRole : role;
  }

  /** Why the caller cannot see the page; undefined if they can. */
  async refusal(db: Db, page: PageAccess, caller: Caller): Promise<AccessDenial | undefined> {
    if (isOpen(page)) return undefined;
    const { actor } = caller;
    return this.#refusal(db, page, caller, () => this.resolveRole(db, page, actor));
  }

  /** Returns the page if the caller can see it, and fails otherwise. */
  async see<Page extends PageAccess>(db: Db, page: Page | undefined, caller: Caller): Promise<Page> {
    if (!page) throw notFound('This page was not found.');
    if (isOpen(page)) return page;
    const refusal = await this.refusal(db, page, caller);
    if (refusal) throw refusalError(page, refusal, caller.actor);
    return page;
  }

  /**
   * The page, for a question to the caller before they have seen it: whether an app or the page may do something, or
   * whether they want to join its team. Its name is hidden while the password or a login is missing, and if they could
   * not see it with the role that they are offered.
   */
  async introduce<Page extends PageAccess & PageSummary>(
    db: Db,
    page: Page | undefined,
    caller: Caller,
    offered?: GrantableRole,
  ): Promise<Page> {
    if (!page) throw notFound('This page was not found.');
    const held = await this.resolveRole(db, page, caller.actor);
    const role = held === 'owner' || held === 'admin' ? held : (offered ?? held);
    const refusal = await this.#refusal(db, page, caller, async () => role);
    if (!refusal) return page;
    const isAsked = refusal === 'password needed' || refusal === 'login needed' || offered !== undefined;
    if (refusal === 'not found' || isBlocked(page) || !isAsked)
      throw refusalError(page, refusal, caller.actor);
    return hidden(page);
  }

  /** Fails if an administrator has taken the page down: then nothing is made of it that people could see instead. */
  assertNotTakenDown(page: PageAccess, by: { userId: number }): void {
    if (page.taken_down_at !== null) throw refusalError(page, 'taken down', by);
  }

  /** Returns the page if the caller can do this with it, and fails otherwise. */
  async require<Page extends PageAccess>(
    db: Db,
    page: Page | undefined,
    actor: Actor | undefined,
    action: PageAction,
  ): Promise<Page> {
    return (await this.requireRole(db, page, actor, action)).page;
  }

  /** Returns the page and the caller's role if they can do this with it, and fails otherwise. */
  async requireRole<Page extends PageAccess>(
    db: Db,
    page: Page | undefined,
    actor: Actor | undefined,
    action: PageAction,
  ): Promise<{ page: Page; role: Role }> {
    const role = page && (await this.resolveRole(db, page, actor));
    if (!page || (page.is_published !== 1 && role === undefined)) throw notFound('This page was not found.');
    if (role === 'owner') return { page, role };
    if (role === 'admin') {
      if (action !== 'own') return { page, role };
      throw new AppError('FORBIDDEN', 'Only the owner of this page can do that. Ask them.');
    }
    throw new AppError(
      'FORBIDDEN',
      'This page belongs to someone else. Only its owner and the admins of its team can do that. Ask them.',
    );
  }

  /** Whether a user can still work on a page, for links that they made when they could. */
  async canWorkOn(db: Db, page: PageWithRoles, userId: number): Promise<boolean> {
    const role = await this.#ownRole(db, page, userId);
    return (role === 'owner' || role === 'admin') && !(await this.#options.isBlocked(db, userId));
  }

  /**
   * The names under which an owner can let somebody see a page. An address that nobody has confirmed may be somebody
   * else's, so it does not count.
   */
  async listNames(db: Db, { userId, username }: Pick<Actor, 'userId' | 'username'>): Promise<string[]> {
    const email = await this.#options.findConfirmedEmail(db, userId);
    return email === undefined ? [username] : [username, email];
  }

  async #ownRole(db: Db, page: PageWithRoles, userId: number): Promise<Role | undefined> {
    if (page.owner_id === userId) return 'owner';
    if (page.storage_mode !== 'team_app') return undefined;
    return this.#options.findRole(db, page, userId);
  }

  #refusal(
    db: Db,
    page: PageAccess,
    { actor, passFor }: Caller,
    role: () => Promise<Role | undefined>,
  ): Promise<AccessDenial | undefined> {
    const { passes } = this;
    const { now } = this.#options;
    const viewer = {
      isLoggedIn: actor !== undefined,
      role,
      hasPass: () => passes.isValid(passFor?.(page.id), page),
      isNamed: () => this.#isNamed(db, page.id, actor),
    };
    return refusalFor(page, viewer, now());
  }

  async #isNamed(db: Db, pageId: number, actor: Actor | undefined): Promise<boolean> {
    return actor !== undefined && isAmongPeople(db, pageId, await this.listNames(db, actor));
  }
}

export type PageSummary = Pick<PageRow, 'id' | 'name' | 'slug' | 'owner_id' | 'storage_mode' | 'branch_of'>;
