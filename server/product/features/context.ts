import type { KeptBlobs } from '../../platform/blobs/index.ts';
import type { Cells } from '../../platform/cells/index.ts';
import type { Limit } from '../../platform/coordination/limits/index.ts';
import type { Log } from '../../platform/http/index.ts';
import type { Providers } from '../../platform/providers/index.ts';
import type { Db, Tx } from '../../platform/storage/index.ts';
import type { Gate } from './gate.ts';
import type { Credits, Pages } from './needs.ts';

/** What the operations of this slice need. */
export interface FeaturesContext {
  db: Db;
  log: Log;
  now: () => number;
  baseUrl: string;
  gate: Gate;
  /** How often a user can have preview images made. */
  previewLimit: Limit;
  credits: Credits;
  providers: Providers;
  kept: KeptBlobs;
  /** Counts what a user stores, in the same transaction. Fails if that exceeds their quota. */
  chargeUsage(tx: Tx, userId: number, change: { bytes: number }): Promise<void>;
  pages: Pages;
  /** Called when a visitor has used a feature, with what they paid. */
  used(pageId: number, feature: string, tokens: number): void;
  fetchExternal: Cells['fetchExternal'];
  /** The picture of the last check of a page; undefined if there is none. */
  latestScreenshot(pageId: number): Promise<Uint8Array | undefined>;
}
