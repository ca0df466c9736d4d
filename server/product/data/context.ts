import type { Role } from '../../../contract/roles.ts';
import type { Events } from '../../platform/coordination/events/index.ts';
import type { Actor, EventStreams } from '../../platform/http/index.ts';
import type { Db, GroupCommit, PageRow, Tx } from '../../platform/storage/index.ts';
import type { DataEvent } from './live/events.ts';
import type { InCollection } from './place.ts';
import type { JsonSql } from './queries/query-sql.ts';
import type { Change } from './write.ts';

/** What data needs to know of pages. */
export interface Pages {
  find(db: Db, idOrSlug: string): Promise<PageRow | undefined>;
  /** Returns the page to those who may see it, and fails for others. */
  require(db: Db, page: PageRow | undefined, actor: Actor | undefined, action: 'see'): Promise<PageRow>;
  roleOf(db: Db, page: PageRow, actor: { userId: number } | undefined): Promise<Role | undefined>;
}

/** Counts what the owner of a page stores, in the same transaction. Fails when that would pass their quota. */
export type ChargeUsage = (
  tx: Tx,
  userId: number,
  change: { bytes: number },
  /** Who asks, where that may be somebody else: only the owner is told how large the quota is. */
  askedBy?: number,
) => Promise<void>;

/** What reading works with. */
export interface ReadContext {
  db: Db;
  /** For what may have to look at every record of a collection: it must not hold anybody else up. */
  slowDb: Db;
  /** One such query of a page at a time, so that one page cannot have all the readers. */
  inTurn: <T>(page: string, ask: () => Promise<T>) => Promise<T>;
  json: JsonSql;
}

/** What writing works with. */
export interface WriteContext {
  commit: GroupCommit;
  now: () => number;
  chargeUsage: ChargeUsage;
  /** Called once the change is committed. */
  announce(place: InCollection, change: Change): void;
}

/** What the routes of this slice work with. */
export interface DataContext extends ReadContext, WriteContext {
  events: Events<DataEvent>;
  streams: EventStreams;
  pages: Pages;
}
