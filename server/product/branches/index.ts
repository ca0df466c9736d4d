import type { Finding } from '../../../contract/attack/attack.ts';
import type { BranchOf } from '../../../contract/pages/branches/branches.ts';
import type { Purge } from '../../lib/loops/sweeper.ts';
import type { Actor, Route } from '../../platform/http/index.ts';
import type { Db, PageRow } from '../../platform/storage/index.ts';
import type { KeepMail } from '../ports.ts';
import { attackCopy } from './attack-copy.ts';
import { Branches } from './branches.ts';
import type { BranchesContext, Parts } from './context.ts';
import { createMerging } from './merge/merging.ts';
import { addMail } from './outbox-store.ts';
import { branchRoutes } from './routes.ts';
import { findBranch, findBranchByPage, listBases, listWarned } from './store.ts';
import { sweepUnused, toEnd } from './unused.ts';
import { toBranchLine, toMergeUrl } from './wire.ts';

/** A branch for one purpose, which nobody sees in lists. */
export type { Throwaway } from './branches.ts';
/** What branches need of other folders. */
export type { Parts } from './context.ts';
/** What users have in copies for some minutes, which does not count towards their quotas. */
export { readCopied } from './copied-usage.ts';

/**
 * Branches: copies of pages with all their parts, to try changes on.
 *
 * Another folder that needs a copy of a page for some minutes, with real, invented or no data, gets `createThrowaway`
 * passed in by `start-product/`: `await createThrowaway(page, { data: 'schema', by: userId, minutes: 10 })` returns the
 * page of the branch and its functions, and `remove()`. Mail of such a branch is in `branch_mails`, and its schedules,
 * domains and secrets are as those of every branch: paused, none, and empty.
 */
export interface BranchesSlice {
  routes(): Route[];
  /** Connects branches with the parts of applications, and goes on with those that were interrupted. */
  connect(parts: Parts): Promise<void>;
  createThrowaway: Branches['createThrowaway'];
  /** Attacks a copy of a page with a change, and returns what was found. Nothing reaches the page. */
  attackCopy(page: PageRow, by: Actor, change: (copy: PageRow) => Promise<void>): Promise<Finding[]>;
  /** The steps of a merge, which the history of the page takes. */
  merging: ReturnType<typeof createMerging>;
  /** Removes what a page has elsewhere, before it is removed: its branches, or the functions of a branch. */
  removeParts(page: PageRow): Promise<void>;
  /** What a page says about itself if it is a branch. */
  describe(db: Db, page: PageRow): Promise<BranchOf | undefined>;
  keepMail: KeepMail;
  /** The times of the moments that branches need, by page. */
  listBases(): Promise<Map<number, number[]>>;
  /** Deletes branches that nobody uses, after their owners were told. */
  purge: Purge;
  /** Branches of these pages that are deleted soon because nobody uses them. */
  listUnused(
    pageIds: number[],
    limit: number,
  ): Promise<Array<{ id: number; of: number; name: string; endsAt: number }>>;
  stop(): Promise<void>;
}

/** The page of a branch that a page has. Branches that are removed by themselves are found by nobody. */
export async function findPageOfBranch(db: Db, pageId: number, name: string): Promise<number | undefined> {
  const row = await findBranch(db, pageId, name);
  return row?.expires_at === null ? row.page_id : undefined;
}

/** Where a person merges a branch of a page. */
export async function findMergeUrl(
  { db, baseUrl }: { db: Db; baseUrl: string },
  pageId: number,
  name: string,
): Promise<string | undefined> {
  const id = await findPageOfBranch(db, pageId, name);
  return id === undefined ? undefined : toMergeUrl(baseUrl, { page_id: id });
}

/** How often branches are looked at that nobody finishes or removes. */
const LOOK_EVERY_MS = 60_000;

export function createBranches(options: Omit<BranchesContext, 'parts'>): BranchesSlice {
  let connected: Parts | undefined;
  const context: BranchesContext = {
    ...options,
    parts() {
      if (!connected) throw new Error('branches are not connected yet');
      return connected;
    },
  };
  const branches = new Branches(context);
  const { db, now } = options;
  const looking = setInterval(() => void branches.look(), LOOK_EVERY_MS);
  looking.unref();
  return {
    routes: () => branchRoutes({ ...context, branches }),
    async connect(parts) {
      connected = parts;
      await branches.look({ isOnlyNode: options.broadcast.isSingleNode });
    },
    merging: createMerging(context),
    attackCopy: (page, by, change) => attackCopy(context, branches, page, { by, change }),
    createThrowaway: (main, order) => branches.createThrowaway(main, order),
    removeParts: (page) => branches.removeParts(page),
    async describe(reader, page) {
      if (page.branch_of === null) return undefined;
      const row = await findBranchByPage(reader, page.id);
      return row && toBranchLine(row);
    },
    keepMail: (tx, pageId, { to, subject, text, html }) =>
      addMail(tx, {
        ...{ page_id: pageId, at: now(), subject, text, html: html ?? null },
        recipients: JSON.stringify([to].flat()),
      }),
    listBases: () => listBases(db),
    purge: (isStopping) => sweepUnused(context, isStopping),
    async listUnused(pageIds, limit) {
      const rows = await listWarned(db, pageIds, limit);
      return rows.map(({ page_id: id, of_page_id: of, name, warned_at }) => ({
        ...{ id, of, name },
        endsAt: toEnd(warned_at),
      }));
    },
    async stop() {
      clearInterval(looking);
      await branches.stop();
    },
  };
}
