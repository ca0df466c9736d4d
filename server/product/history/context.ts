import type { Log } from '../../platform/http/index.ts';
import type { Db } from '../../platform/storage/index.ts';
import type { SnapshotKeeper } from '../../runtime/databases/index.ts';
import type { ChargeUsage, FunctionHistory, PageDirectory, PageHistory, RecordHistory } from '../ports.ts';
import type { PageTimes } from './page-times.ts';
import type { Pauses } from './pauses.ts';

/** What the parts of an application can do for its moments. */
export interface Parts {
  pages: PageHistory;
  functions: FunctionHistory;
  records: RecordHistory;
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
