import type { Actor } from '../../platform/http/index.ts';
import type { CreditsContext } from './context.ts';
import { listHistory, type StoredHistory } from './store.ts';

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
