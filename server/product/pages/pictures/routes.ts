import { pageEndpoints } from '../../../../contract/pages/endpoints.ts';
import { picturePath } from '../../../../contract/pages/page-picture.ts';
import { notFound } from '../../../lib/errors.ts';
import type { KeptBlobs } from '../../../platform/blobs/index.ts';
import { handle, type Route } from '../../../platform/http/index.ts';
import type { Db } from '../../../platform/storage/index.ts';
import { isOpen } from '../model/access-policy.ts';
import { findPage } from '../model/page-store.ts';
import { findPicture } from './store.ts';

export interface PictureContext {
  db: Db;
  kept: KeptBlobs;
}

export function pictureRoutes(context: PictureContext): Route[] {
  return [
    handle(pageEndpoints.getPagePicture, ({ params, request }) => sendPicture(context, params.file, request)),
  ];
}

const HEADERS = {
  'content-type': 'image/webp',
  // The page may stop being public at any time: browsers revalidate the picture, and no proxy stores it.
  'cache-control': 'private, no-cache',
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; sandbox",
};

async function sendPicture(
  { db, kept }: PictureContext,
  { pageId, takenAt }: { pageId: number; takenAt: number },
  request: Request,
): Promise<Response> {
  const page = await findPage(db, pageId);
  const picture = page && isOpen(page) ? await findPicture(db, pageId) : undefined;
  if (!picture?.blob_key) throw notFound('This picture was not found.');
  if (picture.created_at !== takenAt) {
    const location = picturePath(pageId, picture.created_at);
    return new Response(null, { status: 302, headers: { location, 'cache-control': 'no-store' } });
  }
  const etag = `"${takenAt.toString(36)}"`;
  if (request.headers.get('if-none-match')?.includes(etag))
    return new Response(null, { status: 304, headers: { ...HEADERS, etag } });
  const bytes = await kept.get(picture.blob_key);
  if (!bytes) throw notFound('This picture was not found.');
  return new Response(bytes as Uint8Array<ArrayBuffer>, { headers: { ...HEADERS, etag } });
}
