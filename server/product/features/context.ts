import type { KeptBlobs } from '../../platform/blobs/index.ts';
import type { Cells } from '../../platform/cells/index.ts';
import type { Limit } from '../../platform/coordination/limits/index.ts';
import type { Log } from '../../platform/http/index.ts';
import type { Providers } from '../../platform/providers/index.ts';
import type { Db } from '../../platform/storage/index.ts';
import type { ChargeUsage } from '../accounts/index.ts';
import type { Credits } from '../credits/index.ts';
import type { PageRow, Pages } from '../pages/index.ts';
import type { Gate } from './gate.ts';

/** What the verbs of this slice work with. */
export interface FeaturesContext {
  db: Db;
  log: Log;
  now: () => number;
  baseUrl: string;
  gate: Gate;
  /** How often somebody may have preview images made. */
  previewLimit: Limit;
  credits: Credits;
  providers: Providers;
  kept: KeptBlobs;
  chargeUsage: ChargeUsage;
  pages: Pick<Pages, 'create' | 'fork' | 'setPreviewImage'>;
  fetchExternal: Cells['fetchExternal'];
  findPageByIdOrSlug(idOrSlug: string): Promise<PageRow | undefined>;
}
