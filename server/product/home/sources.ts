import type { Home } from '../../../contract/accounts/home/home.ts';
import type { StorageKind } from '../../../contract/accounts/home/storage.ts';
import type { Sizes } from '../../lib/sizes.ts';
import type { Actor } from '../../platform/http/index.ts';

type PageKind = Extract<StorageKind, 'documents' | 'files' | 'images' | 'team files' | 'records' | 'forms'>;

/** What a function is charged. */
interface FunctionUse {
  slug: string;
  name: string;
  pageId: number | null;
  bytes: Record<'code' | 'queue' | 'database', number>;
}

/** The functions of other slices that the home screen needs. */
export interface HomeSources {
  now: () => number;
  readUsage(
    userId: number,
  ): Promise<{ pages: number; functions: number; bytes: number; quota: number | null }>;
  /** The bytes that earlier states of a user's pages take, and may take. */
  readHistory(userId: number): Promise<{ bytes: number; share: number | null }>;
  /** The pages that an owner changed last. */
  listPages(
    userId: number,
  ): Promise<
    Array<{ id: number; name: string; version: number; drafts: number; taken_down_at: number | null }>
  >;
  listTakenDownFunctions(userId: number): Promise<Array<{ slug: string }>>;
  /** Functions with jobs that have failed, those with most first. */
  listFailedJobs(userId: number, limit: number): Promise<Home['failedJobs']>;
  /** Repairs of a person that ended after a moment, the last one first. */
  listRepairs(
    userId: number,
    since: number,
    limit: number,
  ): Promise<Array<{ pageId: number } & Pick<Home['repairs'][number], 'message' | 'outcome'>>>;
  /** Branches of these pages that are deleted soon because nobody uses them. */
  listUnusedBranches(
    pageIds: number[],
    limit: number,
  ): Promise<Array<{ id: number; of: number; name: string; endsAt: number }>>;
  /** Which of these versions of pages the last attack has found something serious in that is not meant so. */
  listExposed(
    pages: Array<{ id: number; version: number }>,
    limit: number,
  ): Promise<Array<{ pageId: number; findings: number }>>;
  /** Reports of pages that no administrator has decided. */
  countOpenReports(): Promise<number>;
  /** How many of them are of these pages. Pages without one are not listed. */
  countReports(pageIds: number[]): Promise<Array<{ pageId: number; reports: number }>>;
  /** The views and errors of these pages since a moment. */
  readTraffic(
    pageIds: number[],
    since: number,
  ): Promise<Array<{ pageId: number; views: number; errors: number }>>;
  countCalls(userId: number, since: number): Promise<Array<{ slug: string; calls: number; errors: number }>>;
  /** Views of these pages and calls of functions on each of the last days. */
  dailyViews(pageIds: number[], days: number): Promise<Array<{ pageId: number; views: number[] }>>;
  dailyCalls(userId: number, days: number): Promise<Array<{ slug: string; calls: number[] }>>;
  /** Who came to these pages in the last minutes. */
  recentVisitors(pageIds: number[]): Promise<Map<number, number>>;
  /** Who has a live connection to a page. */
  countPeople(pageId: number): number;
  /** All pages of a user, with their branches. */
  listNamed(userId: number): Promise<Array<{ id: number; name: string; slug: string }>>;
  /** What pages are charged for each kind of content, and the bytes of their earlier states. */
  measurePages(ids: number[]): Promise<Record<PageKind | 'history', Sizes>>;
  measureFunctions(userId: number): Promise<FunctionUse[]>;
  /** The tokens that a user has spent with each page since a moment. */
  readSpent(
    actor: Actor,
    since: number,
  ): Promise<Array<{ id: number | null; name: string | null; tokens: number }>>;
}
