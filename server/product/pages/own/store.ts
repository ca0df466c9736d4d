import { type ExpressionBuilder, sql } from 'kysely';
import type { ListQuery } from '../../../../contract/pages/pages.ts';
import { contains, countRows, type Db, type PageRow, type Tables } from '../../../platform/storage/index.ts';

/** Lists the pages of an owner: searched, filtered and in order. */

type Filter = Pick<ListQuery, 'q' | 'state'> & {
  ownerId: number;
  /** Branches are shown with their page only. */
  withBranches?: boolean;
};

function findPages(db: Db, { ownerId, q, state, withBranches }: Filter) {
  let query = db.selectFrom('pages').where('owner_id', '=', ownerId);
  if (!withBranches) query = query.where('branch_of', 'is', null);
  if (q) query = query.where(contains(q, ['name', 'slug', 'description']));
  return state ? query.where((eb) => hasState(eb, state)) : query;
}

/** Each page has exactly one of these states. */
function hasState(eb: ExpressionBuilder<Tables, 'pages'>, state: NonNullable<ListQuery['state']>) {
  if (state === 'taken_down') return eb('taken_down_at', 'is not', null);
  const isUp = eb('taken_down_at', 'is', null);
  if (state === 'draft') return eb.and([isUp, eb('is_published', '=', 0)]);
  const isOpen = eb('access_mode', state === 'private' ? '!=' : '=', 'public');
  return eb.and([isUp, eb('is_published', '=', 1), isOpen]);
}

/** One part of an owner's pages. */
export async function listPages(
  db: Db,
  filter: Filter & { order?: 'updated' | 'name'; limit: number; offset: number },
): Promise<{ rows: PageRow[]; total: number }> {
  const query = findPages(db, filter);
  const selected = query.selectAll();
  const inOrder =
    filter.order === 'name'
      ? selected.orderBy(sql`lower(name)`).orderBy('id')
      : selected.orderBy('updated_at', 'desc').orderBy('id', 'desc');
  const rows = await inOrder.limit(filter.limit).offset(filter.offset).execute();
  return { rows, total: await countRows(query) };
}

/** Pages that are put in order here and not by the database: more than the usual quota of pages. */
const MAX_ORDERED = 5_000;

/** The ids of an owner's pages, those that were changed last first. */
export async function listPageIds(db: Db, filter: Filter): Promise<number[]> {
  const rows = await findPages(db, filter)
    .select('id')
    .orderBy('updated_at', 'desc')
    .orderBy('id', 'desc')
    .limit(MAX_ORDERED)
    .execute();
  return rows.map(({ id }) => id);
}

/** The names of an owner's pages and of their branches. */
export function listNamed(db: Db, ownerId: number) {
  return findPages(db, { ownerId, withBranches: true })
    .select(['id', 'name', 'slug'])
    .orderBy('id')
    .limit(MAX_ORDERED)
    .execute();
}

/** Pages in the order of their ids in the list. */
export async function readPages(db: Db, ids: number[]): Promise<PageRow[]> {
  if (ids.length === 0) return [];
  const rows = await db.selectFrom('pages').selectAll().where('id', 'in', ids).execute();
  const found = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => found.get(id) ?? []);
}
