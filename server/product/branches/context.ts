import type { Access, SetAccess } from '../../../contract/pages/access.ts';
import type { RestoreChanges } from '../../../contract/pages/history/moments.ts';
import type { StorageType } from '../../../contract/rules/storage-modes.ts';
import type { Broadcast } from '../../platform/coordination/events/index.ts';
import type { Actor, Log } from '../../platform/http/index.ts';
import type { Mail } from '../../platform/mail/index.ts';
import type { Db, PageRow, Tx } from '../../platform/storage/index.ts';
import type { DatabaseMerger, Databases, SnapshotKeeper } from '../../runtime/databases/index.ts';
import type { CollectionContent, FunctionContent, PageContent } from '../merge-ports.ts';
import type { FunctionState, PageState } from '../moment-ports.ts';
import type { ChargeUsage, MomentCause, PageAttacks, PageDirectory } from '../ports.ts';

/** A moment of a page, as branches start from it. */
export interface BaseMoment {
  at: number;
  state: {
    page: PageState;
    functions: FunctionState[];
    databases: Array<{ functions: string[]; database: number; snapshot: number }>;
  };
}

/** What branches need of moments. */
export interface Moments {
  /** Whether the server keeps moments. */
  isOn: boolean;
  /** Keeps a moment with copies of all databases. Undefined if the page is gone. */
  keep(pageId: number, cause: MomentCause): Promise<number | undefined>;
  /** The last moment at or before a time. */
  find(pageId: number, upTo: number): Promise<BaseMoment | undefined>;
  /** The last moment if a page is still like that, and otherwise one of it as it is. Undefined if the page is gone. */
  findPresent(pageId: number): Promise<BaseMoment | undefined>;
  /** Nobody can call the functions of a page or change its data until `resume`. */
  pause(pageId: number): Promise<void>;
  resume(pageId: number): void;
  /** Learns from the database which pages are paused in this way. */
  learnPaused<Row extends { page_id: number }>(read: () => Promise<Row[]>): Promise<Row[]>;
  /** Brings what was decided about a branch to a page, in the steps of a restore. */
  merge(page: PageRow, order: object, by: number): Promise<{ changes: RestoreChanges; undo: number }>;
  /** Reads the state of a page and its functions as they are. */
  readState(db: Db, page: PageRow): Promise<Omit<BaseMoment['state'], 'databases'>>;
}

/** A function as a merge makes it. */
export interface WantedFunction extends FunctionContent {
  /** The code that runs. Only for functions that are added, or get other code. */
  built?: { code: string; files: string | null; bundle: string | null; source_map: string | null };
}

/** What became of functions in a merge. */
export interface AppliedFunctions {
  functions: Array<{ slug: string; version: number }>;
  slugs: Map<string, string>;
  databases: Array<{ to: number; from: number; slug: string }>;
  changed: number[];
}

/** A page at a time; without one, as it is. */
export interface PageAt {
  pageId: number;
  at?: number;
}

/** A record as it is stored. */
export interface StoredRecord {
  id: string;
  text: string;
  size: number;
  created_by: number;
  username: string;
  created_at: number;
  updated_at: number;
}

/** A record that a branch and its page have differently. */
export interface DifferingRecord {
  id: string;
  base: StoredRecord | undefined;
  branch: StoredRecord | undefined;
  main: StoredRecord | undefined;
}

/** What a record shall become: other data, what it is on one side, or nothing. */
export type DecidedRecord =
  | { row: StoredRecord | undefined }
  | { data: Record<string, unknown>; row: StoredRecord };

/** What branches need of pages. */
export interface BranchPages {
  create(
    tx: Tx,
    main: PageRow,
    branch: { slug: string; state: PageState; by: number; charge: ChargeUsage },
  ): Promise<PageRow>;
  offer(tx: Tx, branch: PageRow, offered: PageState['agentFunctions'], charge: ChargeUsage): Promise<void>;
  rename(tx: Tx, branch: PageRow, slug: string): Promise<void>;
  setAccess(actor: Actor, pageId: number, access: SetAccess, address: string): Promise<void>;
  readAccess(db: Db, page: PageRow): Promise<Access>;
  remove(pageId: number): Promise<void>;
  listBranches(db: Db, pageId: number): Promise<number[]>;
  find(db: Db, id: number): Promise<PageRow | undefined>;
  changed(pageId: number): void;
  readContent(pageId: number, state: PageState): Promise<PageContent>;
  applyContent<Result extends { slugs: ReadonlyMap<string, string> }>(
    pageId: number,
    given: { content: PageContent; by: number },
    work: (tx: Tx, page: PageRow) => Promise<Result>,
    finish: (tx: Tx, result: Result, version: number | undefined) => Promise<void>,
  ): Promise<{ result: Result; version: number | undefined }>;
}

/** What branches need of functions. */
export interface BranchFunctions {
  copy(
    tx: Tx,
    branch: PageRow,
    given: { main: PageRow; name: string; states: readonly FunctionState[]; charge: ChargeUsage },
  ): Promise<Array<{ from: number; to: number }>>;
  strip(branch: Pick<PageRow, 'id'>, how: 'schema' | 'masked'): Promise<void>;
  list(db: Db, pageId: number): Promise<Array<{ id: number; name: string; slug: string }>>;
  removeAll(branch: Pick<PageRow, 'id' | 'slug' | 'owner_id'>, charge: ChargeUsage): Promise<void>;
  readContents(pageId: number, states: readonly FunctionState[]): Promise<Map<string, FunctionContent>>;
  build(ownerId: number, content: FunctionContent): Promise<WantedFunction>;
  apply(tx: Tx, page: PageRow, wanted: ReadonlyMap<string, WantedFunction>): Promise<AppliedFunctions>;
  /** Call this when a change of functions is committed. */
  changed(functionIds: readonly number[]): void;
}

/** What branches need of the records of pages. */
export interface BranchRecords {
  copy(
    main: PageRow,
    branch: PageRow,
    order: {
      at: number;
      data: 'all' | 'schema' | 'masked';
      salt: string;
      charge: ChargeUsage;
      signal?: AbortSignal;
    },
  ): Promise<void>;
  /** Fails if it is not known any more what the records of a page were at a time. */
  assertKept(pageId: number, at: number): Promise<void>;
  /** The time of the last change of a page's records that is known; 0 without any. */
  latest(db: Db, pageId: number): Promise<number>;
  /** The time since when the history of all collections of a page is complete. */
  oldest(pageId: number): Promise<number>;
  findMergedType(page: PageRow): StorageType | undefined;
  readCollections(type: StorageType, page: PageAt): Promise<Map<string, CollectionContent>>;
  eachDiffering(
    collection: { type: StorageType; name: string },
    sides: { base: PageAt; branch: PageAt; main: PageAt },
    after?: string,
  ): AsyncGenerator<DifferingRecord[]>;
  applyCollections(
    tx: Tx,
    page: PageRow,
    given: Record<'wanted' | 'current', ReadonlyMap<string, CollectionContent>>,
    by: number,
  ): Promise<(() => void) | undefined>;
  applyRecords(
    page: PageRow,
    collection: { type: StorageType; name: string },
    decided: ReadonlyMap<string, DecidedRecord>,
    options: {
      from: Pick<PageRow, 'id'>;
      by: { id: number; username: string };
      signal?: AbortSignal;
      admit?(tx: Tx): Promise<void>;
    },
  ): Promise<void>;
}

/** The parts of applications, as branches use them. */
export interface Parts {
  pages: BranchPages;
  functions: BranchFunctions;
  records: BranchRecords;
  snapshots: Pick<SnapshotKeeper, 'take' | 'replace' | 'drop'>;
}

export interface BranchesContext {
  db: Db;
  now: () => number;
  log: Log;
  broadcast: Broadcast;
  baseUrl: string;
  directory: PageDirectory;
  moments: Moments;
  mail: Mail;
  findConfirmedEmail(db: Db, userId: number): Promise<string | undefined>;
  attacks: PageAttacks;
  chargeUsage: ChargeUsage;
  chargeWithoutQuota: ChargeUsage;
  databaseMerger: DatabaseMerger;
  databases: Pick<Databases, 'readStamp'>;
  readUsernames(userIds: number[]): Promise<Map<number, string>>;
  /** Checks a page in a browser, and returns what went wrong; undefined if this server has no browser. */
  check(owner: Actor, pageId: number): Promise<string[] | undefined>;
  /** The parts of applications. They are started before branches can be made. */
  parts(): Parts;
}
