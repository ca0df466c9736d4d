import type { Limit } from '../../platform/coordination/limits/index.ts';
import type { Actor, Caller } from '../../platform/http/index.ts';
import type { Db, PageRow, Tx } from '../../platform/storage/index.ts';
import type { Traffic } from './traffic.ts';

/** What analytics needs to know about pages. */
export interface Pages {
  find(db: Db, idOrSlug: string): Promise<PageRow | undefined>;
  /** Returns the page if the caller can see it, and fails otherwise. */
  see(db: Db, page: PageRow | undefined, caller: Caller): Promise<PageRow>;
  /** Returns the page if the user can do this with it, and fails otherwise. */
  require(
    db: Db,
    page: PageRow | undefined,
    actor: Actor | undefined,
    action: 'read' | 'write',
  ): Promise<PageRow>;
  /** Those of these pages that exist. They cannot be deleted until this transaction ends. */
  existing(tx: Tx, ids: number[]): Promise<Set<number>>;
}

/** What the operations of this slice need. */
export interface AnalyticsContext {
  db: Db;
  now: () => number;
  baseUrl: string;
  pages: Pages;
  traffic: Traffic;
  /** What people call a browser, such as "Firefox on Linux". */
  deviceName(userAgent: string): string;
  /** Reports of errors. */
  limits: { perAddress: Limit; perPage: Limit };
}
