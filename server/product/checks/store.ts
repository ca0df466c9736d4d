import type { Viewport } from '../../../contract/checks/page-check.ts';
import type { Db, Tx } from '../../platform/storage/index.ts';

/** SQL for screenshots. */

/** The window of a screenshot. Those of other windows, or of what somebody did, do not stand for the page. */
export type ShownIn = Viewport | 'other';

const CHUNK = 500;

export async function insertScreenshot(
  tx: Tx,
  screenshot: {
    id: string;
    ownerId: number;
    pageId: number;
    viewport: ShownIn;
    size: number;
    now: number;
    expiresAt: number;
  },
): Promise<void> {
  await tx
    .insertInto('screenshots')
    .values({
      id: screenshot.id,
      owner_id: screenshot.ownerId,
      page_id: screenshot.pageId,
      viewport: screenshot.viewport,
      size: screenshot.size,
      created_at: screenshot.now,
      expires_at: screenshot.expiresAt,
    })
    .execute();
}

export function hasScreenshot(db: Db, id: string, now: number): Promise<boolean> {
  return db
    .selectFrom('screenshots')
    .select('id')
    .where('id', '=', id)
    .where('expires_at', '>', now)
    .executeTakeFirst()
    .then((row) => row !== undefined);
}

/** The latest screenshot of a page in this window. */
export async function findLatest(
  db: Db,
  pageId: number,
  viewport: Viewport,
  now: number,
): Promise<string | undefined> {
  const row = await db
    .selectFrom('screenshots')
    .select('id')
    .where('page_id', '=', pageId)
    .where('viewport', '=', viewport)
    .where('expires_at', '>', now)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.id;
}

/** The ids of an owner's screenshots after the newest `kept`. */
export async function listPast(tx: Tx, ownerId: number, kept: number): Promise<string[]> {
  const rows = await tx
    .selectFrom('screenshots')
    .select('id')
    .where('owner_id', '=', ownerId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .offset(kept)
    .limit(CHUNK)
    .execute();
  return rows.map(({ id }) => id);
}

/** The ids of some screenshots that have expired. */
export async function listExpired(db: Db, now: number): Promise<string[]> {
  const rows = await db
    .selectFrom('screenshots')
    .select('id')
    .where('expires_at', '<=', now)
    .limit(CHUNK)
    .execute();
  return rows.map(({ id }) => id);
}

export async function listOfPage(tx: Tx, pageId: number): Promise<string[]> {
  const rows = await tx.selectFrom('screenshots').select('id').where('page_id', '=', pageId).execute();
  return rows.map(({ id }) => id);
}

export async function deleteScreenshots(tx: Tx, ids: string[]): Promise<void> {
  if (ids.length > 0) await tx.deleteFrom('screenshots').where('id', 'in', ids).execute();
}
