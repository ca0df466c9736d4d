import type { Role } from '../../../contract/roles.ts';
import type { Actor } from '../../platform/http/index.ts';
import type { Db, PageRow, Tx } from '../../platform/storage/index.ts';

/** What data needs to know of pages. */
export interface Pages {
  find(db: Db, idOrSlug: string): Promise<PageRow | undefined>;
  /** Returns the page to those who may see it, and fails for others. */
  require(db: Db, page: PageRow | undefined, actor: Actor | undefined, action: 'see'): Promise<PageRow>;
  roleOf(db: Db, page: PageRow, actor: { userId: number } | undefined): Promise<Role | undefined>;
}

/** Counts what the owner of a page stores, in the same transaction. Fails when that would pass their quota. */
export type ChargeUsage = (
  tx: Tx,
  userId: number,
  change: { bytes: number },
  /** Who asks, where that may be somebody else: only the owner is told how large the quota is. */
  askedBy?: number,
) => Promise<void>;
