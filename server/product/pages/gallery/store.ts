import type { GalleryQuery } from '../../../../contract/pages/gallery.ts';
import type { GalleryTopic } from '../../../../contract/rules/pages/gallery-topics.ts';
import { contains, countRows, type Db, type Tx } from '../../../platform/storage/index.ts';

/** SQL for the gallery. */

export type GalleryRow = Awaited<ReturnType<typeof listGallery>>['rows'][number];

/** Lists the gallery. The index on `listed_at` has only the pages of the gallery. */
export async function listGallery(db: Db, { q, topic, order, limit, offset }: GalleryQuery) {
  let query = listed(db).innerJoin('users', 'users.id', 'pages.owner_id');
  if (topic) query = query.where('topic', '=', topic);
  if (q) query = query.where(contains(q, ['name', 'description', 'username']));
  const rows = await query
    .selectAll('pages')
    .select('users.username as author')
    .$if(order !== 'newest', (sorted) => sorted.orderBy(order === 'popular' ? 'views' : 'updated_at', 'desc'))
    .orderBy('listed_at', 'desc')
    .orderBy('pages.id', 'desc')
    .limit(limit)
    .offset(offset)
    .execute();
  return { rows, total: await countRows(query) };
}

/** How many pages of the gallery are about each topic. */
export async function countTopics(db: Db): Promise<Map<GalleryTopic, number>> {
  const rows = await listed(db)
    .select((eb) => ['topic', eb.fn.countAll<number>().as('pages')])
    .groupBy('topic')
    .execute();
  return new Map(rows.map(({ topic, pages }) => [topic, Number(pages)]));
}

/** The pages that everyone finds. */
function listed(db: Db) {
  return db
    .selectFrom('pages')
    .where('listed_at', 'is not', null)
    .where('unlisted_by_admin_at', 'is', null)
    .where('is_published', '=', 1)
    .where('is_unlisted', '=', 0)
    .where('access_mode', '=', 'public')
    .where('access_expires_at', 'is', null)
    .where('taken_down_at', 'is', null)
    .where('owner_blocked_at', 'is', null);
}

/** Removes a page from the gallery, or lets its owner add it again. Undefined if that changes nothing. */
export function setUnlistedByAdmin(tx: Tx, id: number, removal: { at: number; reason: string } | null) {
  return tx
    .updateTable('pages')
    .set({
      unlisted_by_admin_at: removal?.at ?? null,
      unlisted_by_admin_reason: removal?.reason ?? null,
      listed_at: null,
    })
    .where('id', '=', id)
    .$if(removal === null, (query) => query.where('unlisted_by_admin_at', 'is not', null))
    .returning(['id', 'slug', 'name', 'owner_id'])
    .executeTakeFirst();
}
