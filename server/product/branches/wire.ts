import type { Branch, BranchOf } from '../../../contract/pages/branches/branches.ts';
import { pageUrl } from '../../../contract/pages/pages.ts';
import { toTimestamp } from '../../lib/timestamp.ts';
import type { BranchRow } from '../../platform/storage/index.ts';
import type { BranchesContext } from './context.ts';
import { toEnd } from './unused.ts';

/** Rows as wire shapes. */

export async function describeBranches(
  context: BranchesContext,
  rows: readonly BranchRow[],
): Promise<Branch[]> {
  const { db, baseUrl, readUsernames, parts } = context;
  const { pages, functions } = parts();
  const names = await readUsernames(rows.flatMap(({ created_by }) => created_by ?? []));
  const described: Branch[] = [];
  for (const row of rows) {
    const page = await pages.find(db, row.page_id);
    if (!page) continue;
    described.push({
      name: row.name,
      of: row.of_page_id,
      page: { id: page.id, slug: page.slug, url: pageUrl(baseUrl, page.slug) },
      base: toTimestamp(row.base_at),
      data: row.data,
      access: await pages.readAccess(db, page),
      state: row.step === 'ready' ? 'ready' : 'making',
      functions: (await functions.list(db, page.id)).map(({ name, slug }) => ({ name, slug })),
      merge_url: toMergeUrl(baseUrl, row),
      by: (row.created_by === null ? undefined : names.get(row.created_by)) ?? null,
      created_at: toTimestamp(row.created_at),
      used_at: toTimestamp(row.used_at),
      ends_at: row.warned_at === null ? null : toTimestamp(toEnd(row.warned_at)),
    });
  }
  return described;
}

/** Where a person looks at what a branch changes, and merges it. */
export const toMergeUrl = (baseUrl: string, { page_id }: Pick<BranchRow, 'page_id'>) =>
  `${baseUrl}/pages/${page_id}/merge`;

export const toBranchLine = (row: BranchRow): BranchOf => ({
  of: row.of_page_id,
  name: row.name,
  base: toTimestamp(row.base_at),
});
