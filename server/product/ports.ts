import type { GrantableRole, Role } from '../../contract/roles.ts';
import type { Actor, Caller } from '../platform/http/index.ts';
import type { Db, PageRow, Tx } from '../platform/storage/index.ts';

/** What several product folders need from another one. They do not import each other; `start-product/` passes it in. */

/** What other folders need to know about pages. The directory of `pages` implements it. */
export interface PageDirectory {
  /** Finds a page by id or slug: digits alone always mean the id. */
  find(db: Db, idOrSlug: string): Promise<PageRow | undefined>;
  /** Reads a page and locks it until this transaction ends. */
  lock(tx: Tx, id: number): Promise<PageRow | undefined>;
  /** Those of these pages that exist. They cannot be deleted until this transaction ends. */
  existing(tx: Tx, ids: number[]): Promise<Set<number>>;
  /** What lists show a user of pages, by id. Deleted pages are left out, and names that they cannot see. */
  describe(db: Db, ids: number[], actor: Actor): Promise<Map<number, PageSummary>>;
  /** The role of a user on a page. In a preview it can be lower than their own. */
  roleOf(
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

export type PageSummary = Pick<PageRow, 'id' | 'name' | 'slug' | 'owner_id' | 'storage_mode'>;

/** A change of what a user has and stores. */
export interface UsageChange {
  pages?: number;
  functions?: number;
  bytes: number;
}

/** Counts what a user has and stores, in the same transaction. Fails if that exceeds a quota. */
export type ChargeUsage = (
  tx: Tx,
  userId: number,
  change: UsageChange,
  /** The caller, if that may not be the user: only the user sees the size of the quota. */
  askedBy?: number,
) => Promise<void>;
