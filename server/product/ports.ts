import type { Tx } from '../platform/storage/index.ts';

/** What several product folders need from another one. They do not import each other; `start-product/` passes it in. */

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
