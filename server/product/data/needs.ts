import type { Role } from '../../../contract/roles.ts';
import type { Actor, Caller } from '../../platform/http/index.ts';
import type { Db, PageRow, Tx } from '../../platform/storage/index.ts';

/** What data needs to know about pages. */
export interface Pages {
  find(db: Db, idOrSlug: string): Promise<PageRow | undefined>;
  /** Returns the page if the caller can see it, and fails otherwise. */
  see(db: Db, page: PageRow | undefined, caller: Caller): Promise<PageRow>;
  /** Returns the page if the caller can change it, and fails otherwise. */
  require(db: Db, page: PageRow | undefined, actor: Actor | undefined, action: 'write'): Promise<PageRow>;
  roleOf(
    db: Db,
    page: PageRow,
    actor: Pick<Actor, 'userId' | 'maxRole'> | undefined,
  ): Promise<Role | undefined>;
}

/** Counts what the owner of a page stores, in the same transaction. Fails if that exceeds their quota. */
export type ChargeUsage = (
  tx: Tx,
  userId: number,
  change: { bytes: number },
  /** The caller, if that may be someone else: only the owner sees the size of the quota. */
  askedBy?: number,
) => Promise<void>;
