import type { Limit } from '../../platform/coordination/limits/index.ts';
import type { Db } from '../../platform/storage/index.ts';
import type { PageDirectory } from '../ports.ts';
import type { Traffic } from './traffic.ts';

/** What the operations of this slice need. */
export interface AnalyticsContext {
  db: Db;
  now: () => number;
  baseUrl: string;
  pages: PageDirectory;
  traffic: Traffic;
  /** What people call a browser, such as "Firefox on Linux". */
  deviceName(userAgent: string): string;
  /** Reports of errors. */
  limits: { perAddress: Limit; perPage: Limit };
}
