import type { Db, Tx } from '../../../platform/storage/index.ts';
import type { PageDirectory } from './directory.ts';

/** Counts what a user has and stores, in the same transaction. Fails if that exceeds a quota. */
export type ChargeUsage = (
  tx: Tx,
  userId: number,
  change: { pages?: number; bytes: number },
  /** The caller, if that may be someone else: only the user sees the size of the quota. */
  askedBy?: number,
) => Promise<void>;

/** What every change of a page needs. */
export interface ChangeContext {
  db: Db;
  now: () => number;
  baseUrl: string;
  directory: PageDirectory;
  chargeUsage: ChargeUsage;
  /** Called when a page has changed, so that no old copy is served. */
  changed(pageId: number): void;
}
