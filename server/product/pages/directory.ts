import type { GrantableRole, Role } from '../../../contract/roles.ts';
import { AppError, notFound } from '../../lib/errors.ts';
import type { Actor } from '../../platform/http/index.ts';
import type { Db, PageRow, Tx } from '../../platform/storage/index.ts';
import { findPage, findPageBySlug, listPageNames, lockPage } from './store.ts';

/** What a user can do with a page as a whole. */
type PageAction = 'see' | 'read' | 'write' | 'own';

/** The part of a page that decides who can do what. */
export type PageAccess = Pick<PageRow, 'id' | 'owner_id' | 'storage_mode' | 'is_published'>;

/** The role of a user on a page's team; undefined if they are not in it. */
export type FindRole = (db: Db, pageId: number, userId: number) => Promise<GrantableRole | undefined>;

/** How other slices find pages, and the only place that decides who can do what with a page. */
export class PageDirectory {
  readonly #findRole: FindRole;

  constructor(findRole: FindRole) {
    this.#findRole = findRole;
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

  /** What lists of other slices show of pages. Deleted pages are left out. */
  async describe(db: Db, ids: number[]): Promise<Map<number, PageSummary>> {
    const rows = ids.length === 0 ? [] : await listPageNames(db, [...new Set(ids)]);
    return new Map(rows.map((row) => [row.id, row]));
  }

  /** The role of a user on a page. Only the team mode has a team. */
  async roleOf(db: Db, page: PageAccess, actor: { userId: number } | undefined): Promise<Role | undefined> {
    if (!actor) return undefined;
    if (page.owner_id === actor.userId) return 'owner';
    if (page.storage_mode !== 'team_app') return undefined;
    return this.#findRole(db, page.id, actor.userId);
  }

  /**
   * Returns the page if the caller can do this with it, and fails otherwise. For people without a role, an unpublished
   * page does not exist, and a published one is someone else's.
   */
  async require<Page extends PageAccess>(
    db: Db,
    page: Page | undefined,
    actor: Actor | undefined,
    action: PageAction,
  ): Promise<Page> {
    if (page?.is_published === 1 && action === 'see') return page;
    const role = page && (await this.roleOf(db, page, actor));
    if (!page || (page.is_published !== 1 && role === undefined)) throw notFound('This page');
    if (action === 'see' || role === 'owner') return page;
    if (role === 'admin') {
      if (action !== 'own') return page;
      throw new AppError('FORBIDDEN', 'Only the owner of this page can do that.');
    }
    throw new AppError('FORBIDDEN', 'This page belongs to someone else.');
  }
}

type PageSummary = Pick<PageRow, 'id' | 'name' | 'slug' | 'owner_id' | 'storage_mode'>;
