import { checkHeader, checkType, PICTURE_LIMITS } from './check.ts';
import { openPicture, processPicture } from './decode.ts';

/** Tried one after the other, until the picture is small enough. Most screenshots fit with the first. */
const QUALITIES = [76, 55, 35, 15];

/** Encodes a picture as WebP that fills a frame and takes at most so many bytes. Undefined if that is impossible. */
export async function smallWebp(
  bytes: Uint8Array,
  { width, height, maxBytes }: { width: number; height: number; maxBytes: number },
): Promise<Uint8Array | undefined> {
  const contentType = checkType(bytes, PICTURE_LIMITS);
  return processPicture(async () => {
    await checkHeader(bytes, contentType, PICTURE_LIMITS);
    for (const quality of QUALITIES) {
      const picture = await openPicture(bytes, PICTURE_LIMITS.maxPixels);
      const made = await picture
        .resize(width, height, { fit: 'cover', position: 'top' })
        .toColourspace('srgb')
        .flatten({ background: '#fff' })
        .webp({ quality, effort: 3, smartSubsample: true })
        .toBuffer();
      if (made.length <= maxBytes) return made;
    }
    return undefined;
  });
}
