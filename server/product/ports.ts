import type { Finding, PageAttack } from '../../contract/attack/attack.ts';
import type { RecordResponse } from '../../contract/data/records.ts';
import type { CauseKind } from '../../contract/pages/history/moments.ts';
import type { GrantableRole, Role } from '../../contract/roles.ts';
import type { StorageType } from '../../contract/rules/storage-modes.ts';
import type { Text } from '../../contract/rules/texts/fill.ts';
import type { Template } from '../../contract/templates/templates.ts';
import type { Actor, Caller } from '../platform/http/index.ts';
import type { Db, PageRow, Tx } from '../platform/storage/index.ts';

/** Interfaces that several product folders share. Folders do not import each other; `start-product/` passes them in. */

/** The part of pages that other folders use. The directory of `pages` implements it. */
export interface PageDirectory {
  /** Finds a page by id or slug: digits alone always mean the id. */
  find(db: Db, idOrSlug: string): Promise<PageRow | undefined>;
  /** Reads a page and locks it until this transaction ends. */
  lock(tx: Tx, id: number): Promise<PageRow | undefined>;
  /** The pages with these ids that exist. They cannot be deleted until this transaction ends. */
  existing(tx: Tx, ids: number[]): Promise<Set<number>>;
  /** Describes pages for lists, by id, without deleted pages and names that the user cannot see. */
  describe(db: Db, ids: number[], actor: Actor): Promise<Map<number, PageSummary>>;
  /** The role of a user on a page. In a preview it can be lower than their own. */
  resolveRole(
    db: Db,
    page: PageRow,
    actor: Pick<Actor, 'userId' | 'maxRole'> | undefined,
  ): Promise<Role | undefined>;
  /** Why the caller cannot see the page; undefined if they can. */
  refusal(db: Db, page: PageRow, caller: Caller): Promise<string | undefined>;
  /** Returns the page if the caller can see it, and fails otherwise. */
  see(db: Db, page: PageRow | undefined, caller: Caller): Promise<PageRow>;
  /**
   * The page, for a question to the caller before they have seen it. Its name is hidden if they cannot see it, with the
   * role that they are offered.
   */
  introduce(db: Db, page: PageRow | undefined, caller: Caller, offered?: GrantableRole): Promise<PageRow>;
  /** Fails if an administrator has taken the page down. */
  assertNotTakenDown(page: PageRow, by: { userId: number }): void;
  /** Returns the page if the caller can do this with it, and fails otherwise. */
  require(
    db: Db,
    page: PageRow | undefined,
    actor: Actor | undefined,
    action: 'read' | 'write' | 'own',
  ): Promise<PageRow>;
  /** Notes the collections of a page whose changes its functions get. */
  noteTriggers(tx: Tx, id: number, collections: readonly string[]): Promise<void>;
}

/** Attacks on copies of pages. `attack` implements it. */
export interface PageAttacks {
  /**
   * What people can do on a page that they must not. Only a copy is attacked, without its data; a branch can be attacked
   * too. Findings that are meant so say it.
   */
  attack(page: PageRow, by: Actor, signal?: AbortSignal): Promise<{ findings: Finding[] }>;
  /** Attacks a page in the background, because somebody has published a draft of it or merged a branch. */
  afterPublishing(page: PageRow, by: Actor): void;
  /** What the last attack on a page has found. */
  readLast(page: PageRow): Promise<PageAttack | null>;
}

/** Keeps mail of a branch, which is not sent. Without recipients, it was for the owner. `branches` implements it. */
export type KeepMail = (
  tx: Tx,
  pageId: number,
  mail: { to: string | string[]; subject: string; text: string; html?: string | undefined },
) => Promise<void>;

/** The functions that belong to pages. `functions` implements it. */
export interface PageFunctions {
  /** The slugs of the functions of a page. */
  list(db: Db, page: Pick<PageRow, 'id' | 'owner_id'>): Promise<string[]>;
  /** Sets the functions of a page. Fails if one is not of its owner, or belongs to another page. */
  replace(tx: Tx, page: PageRow, actor: Actor, slugs: readonly string[]): Promise<void>;
  /** Adds those of these functions that are of the page's owner and belong to no page, up to the limit. */
  addFree(tx: Tx, page: PageRow, actor: Actor, slugs: readonly string[]): Promise<void>;
}

export type PageSummary = Pick<PageRow, 'id' | 'name' | 'slug' | 'owner_id' | 'storage_mode' | 'branch_of'>;

/** A change of a record, for functions. Records are JSON; null before it was created, and after it was deleted. */
export interface RecordChange {
  action: 'create' | 'update' | 'delete';
  recordId: string;
  record: string | null;
  before: string | null;
  by: { id: number; username: string };
  /** How many deliveries of changes led to this one, one after the other. */
  round: number;
}

/** The functions that get changes of records. `functions` implements it. */
export interface RecordTriggers {
  /**
   * Prepares a transaction for changes of a collection. Call it before anything else, and the result after the changes,
   * in that transaction: so what is sent is what is committed.
   */
  prepare(
    tx: Tx,
    page: Pick<PageRow, 'id' | 'owner_id'>,
    collection: string,
    options?: {
      /** Sends without a quota, and however many messages wait. Changes that only delete are always sent so. */
      isUnlimited?: boolean;
    },
  ): Promise<(changes: readonly RecordChange[]) => Promise<void>>;
}

/** A change of a user's usage. */
export interface UsageChange {
  pages?: number;
  functions?: number;
  bytes: number;
}

/** Changes a user's usage in the same transaction. Fails if that exceeds a quota. */
export type ChargeUsage = (
  tx: Tx,
  userId: number,
  change: UsageChange,
  /** The caller, if they may not be the user: only the user sees the size of the quota. */
  askedBy?: number,
) => Promise<void>;

/** A page to make from a template. `imports` makes it, also for `trials`. */
export interface PageFromTemplate {
  template: Template;
  name: string;
  is_published: boolean;
  /** The slug of its function ends with it. */
  username: string;
  /** Identifies a request that may be sent again: a second one with this key makes no second page. */
  requestKey?: string | undefined;
  /** The slug of the page comes from it, if not from its name. */
  slugName?: string;
  /** Whether nobody but its owner can call its function. */
  isFunctionPrivate?: boolean;
}

/** Numbers of records that differ between two times. */
export interface RecordDifference {
  created: number;
  updated: number;
  deleted: number;
}

/** How a collection differs between two times. */
export interface ChangedCollection extends RecordDifference {
  name: string;
}

/** What somebody did to the records of a collection in a part of a span. */
export interface RecordActivity extends RecordDifference {
  /** When the part begins. */
  at: number;
  collection: string;
  type: StorageType;
  /** Null if the service did it, or in solo mode, where others must not see who. */
  by: number | null;
}

/**
 * The records of pages over time. `data` implements it. What was stored "at" a time is what was stored before it: a
 * change in that very millisecond comes after it. So a time that is kept before a change must be later than the last
 * change before, and not later than the change.
 */
export interface RecordHistory {
  /** What happened to the records of a page, in parts of `everyMs`. The last part can be shorter. */
  summarize(pageId: number, span: { from: number; to: number; everyMs: number }): Promise<RecordActivity[]>;
  /** The time of the last change of a page's records and schemas that is known; 0 without any. */
  latest(db: Db, pageId: number): Promise<number>;
  /** The time since when the history of all collections of a page is complete. */
  oldest(pageId: number): Promise<number>;
  /** What a restore would do, and the collections that it cannot restore: because of their rules, or their history. */
  count(
    pageId: number,
    at: number,
    restored: { collections?: readonly string[] | undefined; by: number | null },
  ): Promise<
    RecordDifference & {
      collections: ChangedCollection[];
      refused: string[];
      tooOld: Array<{ name: string; since: number }>;
    }
  >;
  /**
   * Brings the records, schemas and rules of a page back, or those of some collections, in many short transactions. It
   * can exceed the quota of the owner. It adds to the history like every change, so that it can be undone. If it was
   * interrupted, it can be run again. Solo data is never touched, nor data of a kind that the page does not have now.
   * Somebody else than the owner restores no schemas and rules, and no records that the rules keep them from changing.
   * Fails if the history of a collection is complete only since a later time: name such collections in `except`.
   */
  restore(
    pageId: number,
    at: number,
    options: {
      collections?: readonly string[];
      except?: readonly string[];
      by: number | null;
      signal?: AbortSignal;
      /** Called in each transaction: if it fails, nothing more is changed. */
      admit?(tx: Tx): Promise<void>;
    },
  ): Promise<RecordDifference>;
  /** Reads the records of a collection as they were, newest first. */
  readAt(
    pageId: number,
    collection: { type: StorageType; name: string },
    at: number,
    page: { limit: number; after?: string },
  ): Promise<{ records: RecordResponse[]; hasMore: boolean }>;
  /** The size of the history of these pages. It is not part of what their owners are charged for. */
  bytes(pageIds: readonly number[]): Promise<number>;
  /** Removes the history of a page before a time. */
  forget(pageId: number, before: number): Promise<void>;
  /** Says what of the history is needed. Call it once. */
  keepFor(needs: HistoryNeeds): void;
}

/** Pages whose history of records is needed for longer than that of others, and since when. */
export interface HistoryNeeds {
  /** What somebody wants to keep. If the history takes too much storage, it goes last. */
  listWanted(): Promise<ReadonlyMap<number, number>>;
  /** What restores need that run. It is not removed. */
  listRestoring(): Promise<ReadonlyMap<number, number>>;
}

/** What changes and risky actions tell the history of a page. `history` implements it. */
export interface MomentKeeper {
  /** Notes in memory that something of a page has changed: a moment is kept within a minute. */
  noteChange(pageId: number): void;
  /** Keeps a moment directly before something that is hard to take back. */
  keepBefore(pageId: number, cause: MomentCause, options?: KeepOptions): Promise<void>;
  /** Fails while a page is restored: its functions cannot be called, and its data cannot be changed. */
  assertNotRestoring(pageId: number): void;
  /** The time for a change of a page's data. It never goes back, also if the clock does. */
  readTime(pageId: number): number;
  /** Which versions of a function moments of its page need. They must not be removed. */
  listNeededVersions(tx: Tx, pageId: number, functionId: number): Promise<Set<number>>;
}

/** Of what happens often, not each time needs a moment. */
export interface KeepOptions {
  /** Only if something has changed since the last moment. */
  ifChanged?: boolean;
  /** For what changes records: only if no moment of this kind is younger. */
  apartMs?: number;
  /**
   * For what deletes records: only if no moment of the last minute has them as they are. It says whether one of them has
   * changed since a time.
   */
  areChangedSince?(at: number): boolean;
}

export interface MomentCause {
  kind: CauseKind;
  /** The user who does it. */
  by: number | null;
  text: Text;
}
