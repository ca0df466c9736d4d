import type { KeptBlobs } from '../../platform/blobs/index.ts';
import type { Db } from '../../platform/storage/index.ts';
import type { ChargeUsage } from '../accounts/index.ts';

/** What the verbs of this slice work with. */
export interface TeamsContext {
  db: Db;
  now: () => number;
  baseUrl: string;
  /** Where the files' bytes are kept. */
  kept: KeptBlobs;
  chargeUsage: ChargeUsage;
  /** Told when somebody's role on a page is another than before: open streams may no longer be theirs. */
  accessChanged(pageId: number): void;
}
