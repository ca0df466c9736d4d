import { notFound } from '../../lib/errors.ts';
import { type Caller, withSize } from '../../platform/http/index.ts';
import { type ReencodeOptions, reencode } from '../../platform/pictures/index.ts';
import { drawDemoImageByName, type ImageRequest, ProviderError } from '../../platform/providers/index.ts';
import type { Tx } from '../../platform/storage/index.ts';
import type { FeaturesContext } from './context.ts';
import { findImage, insertImage, listPageImages } from './store.ts';

/** Images at permanent URLs of ours. */

/** Where the bytes of an image are stored. */
export const imageKey = (id: string) => `images/${id}`;

/** Has the provider draw a picture, in a format and size of ours. */
export async function drawImage(
  { providers, fetchExternal }: Pick<FeaturesContext, 'providers' | 'fetchExternal'>,
  wish: Omit<ImageRequest, 'fetchExternal'>,
  frame: ReencodeOptions,
): Promise<Uint8Array> {
  const made = await providers.images.generate({ ...wish, fetchExternal });
  return reencode(made, frame).catch((error: unknown) => {
    throw new ProviderError('failed', 'The image provider sent no usable picture.', { cause: error });
  });
}

/** Bytes that an image of a provider usually does not exceed. */
const USUAL_BYTES = 2 * 1024 * 1024;

/** Fails if an image of the usual size would exceed the quota, before a provider is asked to make one. */
export function assertStorage(
  { db, chargeUsage }: Pick<FeaturesContext, 'db' | 'chargeUsage'>,
  ownerId: number,
): Promise<void> {
  return db.transaction().execute(async (tx) => {
    await chargeUsage(tx, ownerId, { bytes: USUAL_BYTES });
    await chargeUsage(tx, ownerId, { bytes: -USUAL_BYTES });
  });
}

/** Stores an image that we have made or re-encoded. Its URL never shows anything else. */
export async function keepImage(
  { kept, now, chargeUsage, baseUrl }: Pick<FeaturesContext, 'kept' | 'now' | 'chargeUsage' | 'baseUrl'>,
  image: { ownerId: number; pageId: number | null; png: Uint8Array },
): Promise<string> {
  const id = Bun.randomUUIDv7();
  const { ownerId, pageId, png } = image;
  await kept.keep(imageKey(id), png, async (tx) => {
    await chargeUsage(tx, ownerId, { bytes: png.length });
    await insertImage(tx, { id, ownerId, pageId, contentType: 'image/png', size: png.length, now: now() });
  });
  return `${baseUrl}/images/${id}.png`;
}

/** The image at one of our URLs; undefined for other URLs, and for images that the caller cannot see. */
export async function readOwnImage(
  context: Pick<FeaturesContext, 'db' | 'kept' | 'baseUrl' | 'pages' | 'publishing'>,
  address: string,
  caller: Caller,
): Promise<Uint8Array | undefined> {
  const { kept, baseUrl } = context;
  const start = `${baseUrl}/images/`;
  const id = address.startsWith(start)
    ? /^([0-9a-f-]{36})\.png$/.exec(address.slice(start.length))?.[1]
    : undefined;
  const image = id === undefined ? undefined : await findImage(context.db, id);
  if (!image) return undefined;
  const isSeen = await demandSeen(context, image, caller).then(
    () => true,
    () => false,
  );
  return isSeen ? kept.get(imageKey(image.id)) : undefined;
}

/** Fails if the caller cannot see the page of a picture. Returns whether everyone can. */
async function demandSeen(
  { db, pages, publishing }: Pick<FeaturesContext, 'db' | 'pages' | 'publishing'>,
  image: { page_id: number | null },
  caller: Caller,
): Promise<boolean> {
  if (image.page_id === null) return true;
  const page = await pages.find(db, String(image.page_id));
  await pages.see(db, page, caller);
  return page !== undefined && publishing.isOpen(page);
}

export async function sendImage(
  context: Pick<FeaturesContext, 'db' | 'kept' | 'pages' | 'publishing'>,
  id: string,
  caller: Caller,
): Promise<Response> {
  const image = await findImage(context.db, id);
  if (!image) throw notFound('This picture was not found.');
  const isForEveryone = await demandSeen(context, image, caller);
  const bytes = await context.kept.get(imageKey(id));
  if (!bytes) throw notFound('This picture was not found.');
  return toResponse(bytes, image.content_type, isForEveryone);
}

export async function sendDemoImage(name: string): Promise<Response> {
  const png = await drawDemoImageByName(name);
  if (!png) throw notFound('This picture was not found.');
  return toResponse(png, 'image/png');
}

function toResponse(bytes: Uint8Array, contentType: string, isForEveryone = true): Response {
  const response = new Response(bytes as Uint8Array<ArrayBuffer>, {
    headers: {
      'content-type': contentType,
      'cache-control': isForEveryone ? 'public, max-age=31536000, immutable' : 'private, no-store',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
      // Pages show the image from their own hosts.
      ...(isForEveryone && {
        'cross-origin-resource-policy': 'cross-origin',
        'access-control-allow-origin': '*',
      }),
    },
  });
  return withSize(response, { bytes: bytes.length, from: 'memory' });
}

/** Removes a page's own images when it is deleted. Returns the freed bytes. */
export function removeImagesWithPage({ kept }: Pick<FeaturesContext, 'kept'>) {
  return async (tx: Tx, page: { id: number }): Promise<number> => {
    const images = await listPageImages(tx, page.id);
    if (images.length > 0)
      await kept.release(
        tx,
        images.map(({ id }) => imageKey(id)),
      );
    return images.reduce((sum, { size }) => sum + size, 0);
  };
}
