import { randomBytes } from 'node:crypto';
import { notFound } from '../../lib/errors.ts';
import type { KeptBlobs } from '../../platform/blobs/index.ts';
import type { Db, Tx } from '../../platform/storage/index.ts';
import {
  deleteScreenshots,
  findLatest,
  hasScreenshot,
  insertScreenshot,
  listExpired,
  listOfPage,
  listPast,
  type ShownIn,
} from './store.ts';

/** Screenshots at URLs that nobody can guess and that expire. */

const EXPIRES_MS = 24 * 3600 * 1000;
/** Screenshots of one owner. The oldest are deleted first. They do not count towards the quota. */
const MAX_SCREENSHOTS = 20;

interface Needs {
  db: Db;
  kept: KeptBlobs;
  now: () => number;
}

/** Where the bytes of a screenshot are stored. */
export const screenshotKey = (id: string) => `screenshots/${id}`;

/** Stores a screenshot. Returns its id and when it expires. */
export async function keepScreenshot(
  { kept, now }: Needs,
  screenshot: { ownerId: number; pageId: number; viewport: ShownIn; png: Uint8Array },
): Promise<{ id: string; expiresAt: number }> {
  // The id is the only secret of the URL. It is hex because keys of blobs have no underscores.
  const id = randomBytes(32).toString('hex');
  const expiresAt = now() + EXPIRES_MS;
  const { png, ...rest } = screenshot;
  await kept.keep(screenshotKey(id), png, async (tx) => {
    await insertScreenshot(tx, { ...rest, id, size: png.length, now: now(), expiresAt });
    await remove(kept, tx, await listPast(tx, screenshot.ownerId, MAX_SCREENSHOTS));
  });
  return { id, expiresAt };
}

export async function sendScreenshot({ db, kept, now }: Needs, id: string): Promise<Response> {
  const png = (await hasScreenshot(db, id, now())) ? await kept.get(screenshotKey(id)) : undefined;
  if (!png) throw notFound('This screenshot was not found.');
  return new Response(png as Uint8Array<ArrayBuffer>, {
    headers: {
      'content-type': 'image/png',
      // Cached only in this browser, and not for longer than the screenshot exists.
      'cache-control': 'private, max-age=3600',
      'x-content-type-options': 'nosniff',
      'x-robots-tag': 'noindex',
      'content-security-policy': "default-src 'none'; sandbox",
      'referrer-policy': 'no-referrer',
    },
  });
}

/** The latest screenshot of a page in a desktop window; undefined if there is none. */
export async function latestScreenshot(
  { db, kept, now }: Needs,
  pageId: number,
): Promise<Uint8Array | undefined> {
  const id = await findLatest(db, pageId, 'desktop', now());
  return id === undefined ? undefined : kept.get(screenshotKey(id));
}

/** Removes a page's screenshots when it is deleted. They do not count towards the quota, so nothing is freed. */
export function removeScreenshotsWithPage({ kept }: Pick<Needs, 'kept'>) {
  return async (tx: Tx, page: { id: number }): Promise<number> => {
    await remove(kept, tx, await listOfPage(tx, page.id));
    return 0;
  };
}

/** Deletes screenshots that have expired. */
export async function purgeScreenshots({ db, kept, now }: Needs): Promise<void> {
  for (let ids = await listExpired(db, now()); ids.length > 0; ids = await listExpired(db, now())) {
    const expired = ids;
    await db.transaction().execute((tx) => remove(kept, tx, expired));
  }
}

async function remove(kept: KeptBlobs, tx: Tx, ids: string[]): Promise<void> {
  if (ids.length === 0) return;
  await kept.release(tx, ids.map(screenshotKey));
  await deleteScreenshots(tx, ids);
}
