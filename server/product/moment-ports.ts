import type { NewSchedule } from '../../contract/functions/schedules.ts';
import type { NewTrigger } from '../../contract/functions/triggers.ts';
import type { AgentFunction } from '../../contract/pages/page-functions.ts';
import type { PreviewLink } from '../../contract/pages/previews.ts';
import type { Text } from '../../contract/rules/texts/fill.ts';
import type { Db, PageRow, Tx } from '../platform/storage/index.ts';
import type { ChargeUsage } from './ports.ts';

/** What moments store of pages and functions, and how these bring it back. */

/** What a moment stores of a page. */
export interface PageState {
  version: number;
  /** The settings that go back with the page, by column. */
  settings: Record<string, string | number>;
  agentFunctions: AgentFunction[];
}

/** The part of pages that moments need. `pages` implements it. */
export interface PageHistory {
  read(db: Db, page: PageRow): Promise<PageState>;
  /**
   * Brings a state back. Returns the number of the new version, or undefined if the document and files stay. Charges
   * within the owner's quota, unless `charge` says otherwise.
   */
  restore(
    tx: Tx,
    page: PageRow,
    state: PageState,
    { by, charge }: { by: number; charge?: ChargeUsage | undefined },
  ): Promise<number | undefined>;
  /** The pages of an owner. */
  listOwned(db: Db, ownerId: number): Promise<number[]>;
  /** Who published a version. */
  findAuthor(db: Db, pageId: number, version: number): Promise<string | null>;
  /** A link that shows a version to anyone for some time. */
  makePreview(page: PageRow, version: number, by: number): PreviewLink;
  /** Call this when a restore is committed. */
  changed(pageId: number): void;
}

/** What a moment stores of a function. */
export interface FunctionState {
  id: number;
  slug: string;
  version: number;
  name: string;
  description: string;
  schedules: NewSchedule[];
  /** Moments from before there were triggers have none. */
  on?: NewTrigger[];
  /** What a branch calls it. Only the functions of branches have this. */
  branchSlug?: string;
  database: number | null;
}

/** What became of the functions of a page in a restore. */
export interface RestoredFunctions {
  /** Those with other code than before. */
  functions: Array<{ slug: string; version: number }>;
  madeAgain: string[];
  notRestored: Array<{ slug: string; reason: Text }>;
  /** The database that each database of the moment is now. */
  databases: Map<number, number>;
  /** Functions that are read again, when the restore is committed. */
  changed: number[];
}

/** The part of functions that moments need. `functions` implements it. */
export interface FunctionHistory {
  read(db: Db, page: Pick<PageRow, 'id' | 'owner_id'>): Promise<FunctionState[]>;
  /** Brings the functions of a page back, with their code, schedules and names. Charges as for pages. */
  restore(
    tx: Tx,
    page: PageRow,
    states: readonly FunctionState[],
    options?: { charge?: ChargeUsage | undefined },
  ): Promise<RestoredFunctions>;
  /** Resolves when no call of these functions runs on this node, or after some seconds. */
  drain(functionIds: readonly number[]): Promise<void>;
  /** Refuses these databases to calls that have begun, on all nodes, and waits for what they run there. */
  fence(databaseIds: readonly number[]): Promise<void>;
  /** The pages whose functions use these databases. */
  listUsers(databaseIds: readonly number[]): Promise<number[]>;
  /** Call this when a restore is committed. */
  changed(functionIds: readonly number[]): void;
  /** Bytes of deleted functions that moments of these pages need. */
  bytes(db: Db, pageIds: readonly number[]): Promise<number>;
  /** Forgets deleted functions of a page that no moment needs. */
  forget(db: Db, pageId: number, needed: readonly FunctionState[]): Promise<void>;
}
