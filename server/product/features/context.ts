import type { KeptBlobs } from '../../platform/blobs/index.ts';
import type { Limit } from '../../platform/coordination/limits/index.ts';
import type { Log } from '../../platform/http/index.ts';
import type { Providers } from '../../platform/providers/index.ts';
import type { Db } from '../../platform/storage/index.ts';
import type { FetchExternal } from '../../runtime/egress/index.ts';
import type { ChargeUsage, PageDirectory } from '../ports.ts';
import type { Gate } from './gate.ts';
import type { Credits, Publishing } from './needs.ts';

/** The dependencies of the features slice. */
export interface FeaturesContext {
  db: Db;
  log: Log;
  now: () => number;
  baseUrl: string;
  gate: Gate;
  /** How often a user can have preview images made. */
  previewLimit: Limit;
  /** How many answers that do not fit their schema a user can have, which cost nothing. */
  unfitLimit: Limit;
  credits: Credits;
  providers: Providers;
  kept: KeptBlobs;
  chargeUsage: ChargeUsage;
  pages: PageDirectory;
  publishing: Publishing;
  /** Called when a visitor has used a feature, with what they paid. */
  used(pageId: number, feature: string, tokens: number): void;
  fetchExternal: FetchExternal;
  /** The picture of the last check of a page; undefined if there is none. */
  latestScreenshot(pageId: number): Promise<Uint8Array | undefined>;
}
