import type { Access, SetAccess } from '../../../contract/pages/access.ts';
import type { Broadcast } from '../../platform/coordination/events/index.ts';
import type { Actor, Log } from '../../platform/http/index.ts';
import type { Mail } from '../../platform/mail/index.ts';
import type { Db, PageRow, Tx } from '../../platform/storage/index.ts';
import type { SnapshotKeeper } from '../../runtime/databases/index.ts';
import type {
  ChargeUsage,
  FunctionState,
  MomentCause,
  PageAttacks,
  PageDirectory,
  PageState,
} from '../ports.ts';

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
  /** Nobody can call the functions of a page or change its data until `resume`. */
  pause(pageId: number): Promise<void>;
  resume(pageId: number): void;
  /** Learns from the database which pages are paused in this way. */
  learnPaused<Row extends { page_id: number }>(read: () => Promise<Row[]>): Promise<Row[]>;
}

/** What branches need of pages. */
export interface BranchPages {
  create(tx: Tx, main: PageRow, branch: { slug: string; state: PageState; by: number }): Promise<PageRow>;
  offer(tx: Tx, branch: PageRow, offered: PageState['agentFunctions']): Promise<void>;
  rename(tx: Tx, branch: PageRow, slug: string): Promise<void>;
  setAccess(actor: Actor, pageId: number, access: SetAccess, address: string): Promise<void>;
  readAccess(db: Db, page: PageRow): Promise<Access>;
  remove(pageId: number): Promise<void>;
  listBranches(db: Db, pageId: number): Promise<number[]>;
  find(db: Db, id: number): Promise<PageRow | undefined>;
  changed(pageId: number): void;
}

/** What branches need of functions. */
export interface BranchFunctions {
  copy(
    tx: Tx,
    branch: PageRow,
    given: { main: PageRow; name: string; states: readonly FunctionState[] },
  ): Promise<Array<{ from: number; to: number }>>;
  strip(branch: Pick<PageRow, 'id'>, how: 'schema' | 'masked'): Promise<void>;
  list(db: Db, pageId: number): Promise<Array<{ id: number; name: string; slug: string }>>;
  removeAll(branch: Pick<PageRow, 'id'>): Promise<void>;
}

/** What branches need of the records of pages. */
export interface BranchRecords {
  copy(
    main: PageRow,
    branch: PageRow,
    order: { at: number; data: 'all' | 'schema' | 'masked'; salt: string; signal?: AbortSignal },
  ): Promise<void>;
  /** The time of the last change of a page's records that is known; 0 without any. */
  latest(db: Db, pageId: number): Promise<number>;
}

/** The parts of applications, as branches use them. */
export interface Parts {
  pages: BranchPages;
  functions: BranchFunctions;
  records: BranchRecords;
  snapshots: Pick<SnapshotKeeper, 'replace'>;
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
  attacks: PageAttacks;
  chargeUsage: ChargeUsage;
  /** Gives the team of a branch the members of its page. */
  copyTeam(tx: Tx, from: number, to: number): Promise<void>;
  readUsernames(userIds: number[]): Promise<Map<number, string>>;
  /** The parts of applications. They are started before branches can be made. */
  parts(): Parts;
}
