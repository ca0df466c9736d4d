import type { GrantableRole, Role } from '../../contract/roles.ts';
import type { Template } from '../../contract/templates/templates.ts';
import type { Actor, Caller } from '../platform/http/index.ts';
import type { Db, PageRow, Tx } from '../platform/storage/index.ts';

/** Interfaces that several product folders share. Folders do not import each other; `start-product/` passes them in. */

/** The part of pages that other folders use. The directory of `pages` implements it. */
export interface PageDirectory {
  /** Finds a page by id or slug: digits alone always mean the id. */
  find(db: Db, idOrSlug: string): Promise<PageRow | undefined>;
  /** Reads a page and locks it until this transaction ends. */
  lock(tx: Tx, id: number): Promise<PageRow | undefined>;
  /** The pages with these ids that exist. They cannot be deleted until this transaction ends. */
  existing(tx: Tx, ids: number[]): Promise<Set<number>>;
  /** Describes pages for lists, by id, without deleted pages and names that the user cannot see. */
  describe(db: Db, ids: number[], actor: Actor): Promise<Map<number, PageSummary>>;
  /** The role of a user on a page. In a preview it can be lower than their own. */
  resolveRole(
    db: Db,
    page: PageRow,
    actor: Pick<Actor, 'userId' | 'maxRole'> | undefined,
  ): Promise<Role | undefined>;
  /** Why the caller cannot see the page; undefined if they can. */
  refusal(db: Db, page: PageRow, caller: Caller): Promise<string | undefined>;
  /** Returns the page if the caller can see it, and fails otherwise. */
  see(db: Db, page: PageRow | undefined, caller: Caller): Promise<PageRow>;
  /**
   * The page, for a question to the caller before they have seen it. Its name is hidden if they cannot see it, with the
   * role that they are offered.
   */
  introduce(db: Db, page: PageRow | undefined, caller: Caller, offered?: GrantableRole): Promise<PageRow>;
  /** Returns the page if the caller can do this with it, and fails otherwise. */
  require(
    db: Db,
    page: PageRow | undefined,
    actor: Actor | undefined,
    action: 'read' | 'write' | 'own',
  ): Promise<PageRow>;
}

/** The functions that belong to pages. `functions` implements it. */
export interface PageFunctions {
  /** The slugs of the functions of a page. */
  list(db: Db, page: Pick<PageRow, 'id' | 'owner_id'>): Promise<string[]>;
  /** Sets the functions of a page. Fails if one is not of its owner, or belongs to another page. */
  replace(tx: Tx, page: PageRow, actor: Actor, slugs: readonly string[]): Promise<void>;
  /** Adds those of these functions that are of the page's owner and belong to no page, up to the limit. */
  addFree(tx: Tx, page: PageRow, actor: Actor, slugs: readonly string[]): Promise<void>;
}

export type PageSummary = Pick<PageRow, 'id' | 'name' | 'slug' | 'owner_id' | 'storage_mode'>;

/** A change of a user's usage. */
export interface UsageChange {
  pages?: number;
  functions?: number;
  bytes: number;
}

/** Changes a user's usage in the same transaction. Fails if that exceeds a quota. */
export type ChargeUsage = (
  tx: Tx,
  userId: number,
  change: UsageChange,
  /** The caller, if they may not be the user: only the user sees the size of the quota. */
  askedBy?: number,
) => Promise<void>;

/** A page to make from a template. `imports` makes it, also for `trials`. */
export interface PageFromTemplate {
  template: Template;
  name: string;
  is_published: boolean;
  /** The slug of its function ends with it. */
  username: string;
  /** Identifies a request that may be sent again: a second one with this key makes no second page. */
  requestKey?: string | undefined;
  /** The slug of the page comes from it, if not from its name. */
  slugName?: string;
  /** Whether nobody but its owner can call its function. */
  isFunctionPrivate?: boolean;
}
