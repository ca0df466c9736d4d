import type { Db } from '../../../platform/storage/index.ts';

/** SQL that reads everything of a user's pages, some rows at a time. */

const BATCH = 200;
/** Messages can be large. */
const MESSAGES = 20;

export async function* pagesAfter(db: Db, ownerId: number): AsyncGenerator<number> {
  for (let after = 0; ; ) {
    const rows = await db
      .selectFrom('pages')
      .select('id')
      .where('owner_id', '=', ownerId)
      .where('id', '>', after)
      .orderBy('id')
      .limit(BATCH)
      .execute();
    for (const { id } of rows) yield id;
    if (rows.length < BATCH) return;
    after = rows.at(-1)?.id ?? 0;
  }
}

export async function* versionsAfter(db: Db, pageId: number) {
  for (let after = 0; ; ) {
    const rows = await db
      .selectFrom('page_versions')
      .select(['version', 'created_at', 'size'])
      .where('page_id', '=', pageId)
      .where('version', '>', after)
      .orderBy('version')
      .limit(BATCH)
      .execute();
    yield* rows;
    if (rows.length < BATCH) return;
    after = rows.at(-1)?.version ?? 0;
  }
}

/** The bytes that versions of a page use. */
export async function* hashesAfter(db: Db, pageId: number) {
  for (let after = ''; ; ) {
    const rows = await db
      .selectFrom('page_blobs')
      .innerJoin('file_blobs', 'file_blobs.hash', 'page_blobs.hash')
      .select(['file_blobs.hash', 'file_blobs.size'])
      .where('page_id', '=', pageId)
      .where('page_blobs.hash', '>', after)
      .orderBy('page_blobs.hash')
      .limit(BATCH)
      .execute();
    yield* rows;
    if (rows.length < BATCH) return;
    after = rows.at(-1)?.hash ?? '';
  }
}

export async function* messageIdsAfter(db: Db, pageId: number): AsyncGenerator<number[]> {
  for (let after = 0; ; ) {
    const rows = await db
      .selectFrom('page_messages')
      .select('id')
      .where('page_id', '=', pageId)
      .where('id', '>', after)
      .orderBy('id')
      .limit(MESSAGES)
      .execute();
    if (rows.length > 0) yield rows.map(({ id }) => id);
    if (rows.length < MESSAGES) return;
    after = rows.at(-1)?.id ?? 0;
  }
}

export async function oldSlugsOf(db: Db, pageId: number): Promise<string[]> {
  const rows = await db
    .selectFrom('page_old_slugs')
    .select('slug')
    .where('page_id', '=', pageId)
    .limit(1_000)
    .execute();
  return rows.map(({ slug }) => slug);
}
