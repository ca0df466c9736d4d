import type { Log } from '../../platform/http/index.ts';
import type { Db, RestoreRow, Tx } from '../../platform/storage/index.ts';
import type { SnapshotKeeper } from '../../runtime/databases/index.ts';
import type { FunctionHistory, PageHistory } from '../moment-ports.ts';
import type { ChargeUsage, PageDirectory, RecordHistory } from '../ports.ts';
import type { PageTimes } from './page-times.ts';
import type { Pauses } from './pauses.ts';
import type { ApplicationState, RestorePlan } from './state.ts';

/** What is brought to a page in the steps of a restore without being a moment of it: the merge of a branch. */
export interface Merging {
  /**
   * Changes what is one transaction, and calls `note` in it. `before` is the moment that was kept: if the page is no longer
   * like that, it returns nothing. Then, and if it fails, nothing has changed.
   */
  apply(
    row: RestoreRow,
    before: ApplicationState,
    note: (tx: Tx, plan: RestorePlan) => Promise<void>,
  ): Promise<RestorePlan | undefined>;
  /** Changes records. It can be run again. */
  applyRecords(
    row: RestoreRow,
    options: {
      signal: AbortSignal;
      /** Called in each transaction: if it fails, nothing more is changed. */
      admit(tx: Tx): Promise<void>;
    },
  ): Promise<void>;
  /** Called in the transaction that ends a restore or a merge. */
  ended(tx: Tx, row: RestoreRow, plan: RestorePlan): Promise<void>;
}

/** What the parts of an application can do for its moments. */
export interface Parts {
  pages: PageHistory;
  functions: FunctionHistory;
  records: RecordHistory;
  merging: Merging;
  snapshots: Pick<SnapshotKeeper, 'take' | 'replace' | 'drop' | 'bytes'>;
  /** The times of the moments that branches of each page are compared with. They are kept. */
  listBases(): Promise<ReadonlyMap<number, readonly number[]>>;
}

/** The dependencies of moments. */
export interface HistoryContext {
  /** The parts of applications. They are started after the history. */
  parts(): Parts;
  db: Db;
  now: () => number;
  log: Log;
  directory: PageDirectory;
  pauses: Pauses;
  /** Branches that are being made. */
  making: Pauses;
  times: PageTimes;
  /** For how many days moments are kept; 0 if none are. */
  days: number;
  /** Call this for everything that is added to the history of an owner. */
  noteGrowth(ownerId: number, bytes: number): void;
  /** The names of users that still exist. */
  readUsernames(userIds: number[]): Promise<Map<number, string>>;
  /** Charges without a quota: what failed must be undone, also if its owner can store nothing more. */
  chargeWithoutQuota: ChargeUsage;
  /** The storage quota of a user in bytes; null without a limit. */
  readQuota(userId: number): Promise<{ bytes: number; quota: number | null }>;
}
