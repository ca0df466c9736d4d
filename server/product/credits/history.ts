import type { Actor } from '../../platform/http/index.ts';
import type { CreditsContext } from './context.ts';
import { listHistory, listSpentSince, type StoredHistory } from './store.ts';

/** A line of a user's history. The page is null if there was none, or if it was deleted. */
export type HistoryRow = StoredHistory & { page_name: string | null; page_slug: string | null };

/** Reads what a user was granted and has spent, newest first. */
export async function readHistory(
  { db, pages }: Pick<CreditsContext, 'db' | 'pages'>,
  actor: Actor,
  part: { limit: number; offset: number },
): Promise<{ rows: HistoryRow[]; total: number }> {
  const { rows, total } = await listHistory(db, actor.userId, part);
  const ids = rows.flatMap(({ page_id }) => page_id ?? []);
  const described = await pages.describe(db, ids, actor);
  const named = rows.map((row) => {
    const page = row.page_id === null ? undefined : described.get(row.page_id);
    return { ...row, page_name: page?.name ?? null, page_slug: page?.slug ?? null };
  });
  return { rows: named, total };
}

/** A user can spend on more pages, but nobody looks at them all. */
const MAX_SPENDING_PAGES = 200;

/** What a user has spent since a time, with each page. The name is missing for pages that they cannot see. */
export async function readSpent(
  { db, pages }: Pick<CreditsContext, 'db' | 'pages'>,
  actor: Actor,
  since: number,
): Promise<Array<{ id: number | null; name: string | null; tokens: number }>> {
  const rows = await listSpentSince(db, actor.userId, since, MAX_SPENDING_PAGES);
  const described = await pages.describe(
    db,
    rows.flatMap(({ pageId }) => pageId ?? []),
    actor,
  );
  return rows.map(({ pageId, tokens }) => ({
    ...{ id: pageId, tokens },
    name: (pageId === null ? undefined : described.get(pageId)?.name) ?? null,
  }));
}
