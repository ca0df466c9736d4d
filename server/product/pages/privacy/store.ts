import { type Db, eachRow, inBatches } from '../../../platform/storage/index.ts';

/** SQL that reads everything of a user's pages, some rows at a time. */

const BATCH = 200;
/** Messages that are read at once: few, because they can be large. */
const MESSAGES = 20;

export function eachPage(db: Db, ownerId: number) {
  const pages = db.selectFrom('pages').select('id').where('owner_id', '=', ownerId);
  return eachRow(pages, { by: 'id', size: BATCH });
}

export function eachVersion(db: Db, pageId: number) {
  const versions = db
    .selectFrom('page_versions')
    .select(['version', 'created_at', 'size'])
    .where('page_id', '=', pageId);
  return eachRow(versions, { by: 'version', size: BATCH });
}

/** The bytes that versions of a page use. */
export function eachBlob(db: Db, pageId: number) {
  const blobs = db
    .selectFrom('page_blobs')
    .innerJoin('file_blobs', 'file_blobs.hash', 'page_blobs.hash')
    .select(['file_blobs.hash', 'file_blobs.size'])
    .where('page_id', '=', pageId);
  return eachRow(blobs, { by: 'page_blobs.hash', size: BATCH });
}

export function messageIdsInBatches(db: Db, pageId: number) {
  const messages = db.selectFrom('page_messages').select('id').where('page_id', '=', pageId);
  return inBatches(messages, { by: 'id', size: MESSAGES });
}

export async function listOldSlugs(db: Db, pageId: number): Promise<string[]> {
  const rows = await db
    .selectFrom('page_old_slugs')
    .select('slug')
    .where('page_id', '=', pageId)
    .limit(1_000)
    .execute();
  return rows.map(({ slug }) => slug);
}
