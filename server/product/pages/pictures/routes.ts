import { binary } from '../../../../contract/fields.ts';
import { pictureParams, picturePath } from '../../../../contract/sites/page-picture.ts';
import { notFound } from '../../../lib/errors.ts';
import { type Route, route } from '../../../platform/http/index.ts';
import { isOpen } from '../access/policy.ts';
import type { PagesContext } from '../context.ts';
import { findPage } from '../store.ts';
import { findPicture } from './store.ts';

export function pictureRoutes(context: Pick<PagesContext, 'db' | 'kept'>): Route[] {
  return [
    route({
      method: 'GET',
      path: '/pictures/:file',
      operationId: 'getPagePicture',
      answers: [
        { status: 200, description: 'The picture.', type: 'image/webp', schema: binary },
        { status: 302, description: 'There is a newer picture.', headers: ['Location'] },
      ],
      access: { kind: 'public' },
      summary: 'The picture of a page that everyone can see',
      params: pictureParams,
      handle: ({ params }) => sendPicture(context, params.file),
    }),
  ];
}

async function sendPicture(
  { db, kept }: Pick<PagesContext, 'db' | 'kept'>,
  { pageId, takenAt }: { pageId: number; takenAt: number },
): Promise<Response> {
  const page = await findPage(db, pageId);
  const picture = page && isOpen(page) ? await findPicture(db, pageId) : undefined;
  if (!picture?.blob_key) throw notFound('This picture');
  if (picture.created_at !== takenAt) {
    const location = picturePath(pageId, picture.created_at);
    return new Response(null, { status: 302, headers: { location, 'cache-control': 'no-store' } });
  }
  const bytes = await kept.get(picture.blob_key);
  if (!bytes) throw notFound('This picture');
  return new Response(bytes as Uint8Array<ArrayBuffer>, {
    headers: {
      'content-type': 'image/webp',
      // A day, not forever: its page may stop being public.
      'cache-control': 'public, max-age=86400, immutable',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
    },
  });
}
