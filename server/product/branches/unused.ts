import { setImmediate } from 'node:timers/promises';
import { UNUSED_BRANCH_DAYS, UNUSED_BRANCH_NOTICE_DAYS } from '../../../contract/rules/limits.ts';
import type { BranchRow, PageRow } from '../../platform/storage/index.ts';
import type { BranchesContext } from './context.ts';
import { findBranchByPage, listAfter, noteWarning, updateBranch } from './store.ts';

const DAY_MS = 24 * 3600 * 1000;
const UNUSED_MS = UNUSED_BRANCH_DAYS * DAY_MS;
const NOTICE_MS = UNUSED_BRANCH_NOTICE_DAYS * DAY_MS;
const AT_ONCE = 200;

/** When a branch is deleted whose owner was told so at this time. */
export const toEnd = (warnedAt: number) => warnedAt + NOTICE_MS;

/** Notes which branches are used. Owners of others get mail, and a week later they are deleted. */
export async function sweepUnused(context: BranchesContext, isStopping: () => boolean): Promise<void> {
  let after = 0;
  while (!isStopping()) {
    const rows = await listAfter(context.db, after, AT_ONCE);
    for (const row of rows) {
      if (isStopping()) return;
      await look(context, row);
      await setImmediate();
    }
    if (rows.length < AT_ONCE) return;
    after = rows.at(-1)?.page_id ?? after;
  }
}

async function look(context: BranchesContext, row: BranchRow): Promise<void> {
  const { db, now, parts, log } = context;
  const page = await parts().pages.find(db, row.page_id);
  if (!page) return;
  const used = await findUse(context, row, page);
  if (used) return updateBranch(db, row.page_id, used);
  if (row.warned_at === null) {
    if (now() - row.used_at >= UNUSED_MS) await warn(context, row, page);
    return;
  }
  if (now() < toEnd(row.warned_at)) return;
  // Somebody may have used it since it was read.
  const last = await findBranchByPage(db, row.page_id);
  if (last?.used_at !== row.used_at) return;
  log.info({ page: row.page_id, of: row.of_page_id }, 'a branch is deleted that nobody used');
  await parts().pages.remove(row.page_id);
}

/** What is noted if somebody has visited or changed a branch since it was last looked at. */
async function findUse(
  { db, now, moments, parts }: BranchesContext,
  row: BranchRow,
  page: PageRow,
): Promise<Pick<BranchRow, 'used_at' | 'used_views' | 'warned_at'> | undefined> {
  const { views } = page;
  // Functions and databases are in moments.
  const { at = 0 } = (await moments.find(page.id, now())) ?? {};
  const changedAt = Math.max(page.updated_at, await parts().records.latest(db, page.id), at);
  const usedAt = views === row.used_views ? changedAt : now();
  return usedAt > row.used_at ? { used_at: usedAt, used_views: views, warned_at: null } : undefined;
}

/** Tells the owner of a branch when it will be deleted. Only one of several nodes does. */
async function warn(context: BranchesContext, row: BranchRow, page: PageRow): Promise<void> {
  const { db, now, mail, baseUrl, findConfirmedEmail, parts } = context;
  const main = await parts().pages.find(db, row.of_page_id);
  if (!main) return;
  await db.transaction().execute(async (tx) => {
    const warnedAt = now();
    if (!(await noteWarning(tx, row, warnedAt))) return;
    const to = mail.isConfigured ? await findConfirmedEmail(tx, page.owner_id) : undefined;
    if (to === undefined) return;
    const about = { pageName: main.name, branchName: row.name, deletedAt: toEnd(warnedAt) };
    const link = `${baseUrl}/pages/${page.id}`;
    const message = { kind: 'branch unused', ...about, link } as const;
    await mail.send(tx, { to, userId: page.owner_id, message });
  });
}
