import type { Db, PagePictureRow } from '../../../platform/storage/index.ts';

/** SQL for pictures that are taken again. */

/** Lists pages with a picture that may be outdated: those that can show records or did, and those whose claim has ended. */
export function listFollowed(db: Db, { after, limit, now }: { after: number; limit: number; now: number }) {
  return db
    .selectFrom('pages')
    .innerJoin('page_pictures', 'page_pictures.page_id', 'pages.id')
    .select(['pages.id', 'pages.owner_id', 'pages.storage_mode'])
    .select(['page_pictures.claimed_until', 'page_pictures.created_at', 'page_pictures.shows_records'])
    .where('pages.id', '>', after)
    .where('is_published', '=', 1)
    .where('access_mode', '=', 'public')
    .where(({ eb, or }) =>
      or([
        eb('storage_mode', 'in', ['social_app', 'team_app']),
        eb('shows_records', '=', 1),
        eb('claimed_until', '<=', now),
      ]),
    )
    .orderBy('pages.id')
    .limit(limit)
    .execute();
}

/** Claims the picture of a version that has one already. False if somebody else has claimed it, or has taken it. */
export async function claimAgain(
  db: Db,
  { page_id, version, created_at }: PagePictureRow,
  until: number,
): Promise<boolean> {
  const claimed = await db
    .updateTable('page_pictures')
    .set({ claimed_until: until })
    .where('page_id', '=', page_id)
    .where('version', '=', version)
    .where('created_at', '=', created_at)
    .where('claimed_until', 'is', null)
    .returning('page_id')
    .executeTakeFirst();
  return claimed !== undefined;
}
