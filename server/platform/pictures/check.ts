import { openPicture, processPicture } from './decode.ts';
import { PictureError } from './picture-error.ts';
import { detectType, type PictureType } from './signature.ts';

/** The limits of a picture. */
export interface PictureLimits {
  maxBytes: number;
  maxPixels: number;
}

/** The default limits: 10 MB and 40 million pixels. */
export const PICTURE_LIMITS: PictureLimits = { maxBytes: 10 * 1024 * 1024, maxPixels: 40_000_000 };

/** A picture whose bytes are complete and have the type that `contentType` says. */
export interface CheckedPicture {
  bytes: Uint8Array;
  contentType: PictureType;
  width: number;
  height: number;
}

/** The decoder's names of the types. */
const FORMATS: Record<PictureType, string> = {
  'image/png': 'png',
  'image/jpeg': 'jpeg',
  'image/webp': 'webp',
  'image/gif': 'gif',
  'image/avif': 'heif',
};

/**
 * Checks the type and the size of a picture by its header, so that a decompression bomb costs nothing, and then decodes
 * it once to see that it is complete. The bytes are returned unchanged, with any content that is hidden in or after the
 * picture: use `reencode` before others see it.
 */
export async function checkPicture(
  bytes: Uint8Array,
  limits: PictureLimits = PICTURE_LIMITS,
): Promise<CheckedPicture> {
  const contentType = checkType(bytes, limits);
  return processPicture(async () => {
    const size = await checkHeader(bytes, contentType, limits);
    const picture = await openPicture(bytes, limits.maxPixels);
    await picture.resize(1, 1, { fit: 'fill', fastShrinkOnLoad: false }).raw().toBuffer();
    return { bytes, contentType, ...size };
  });
}

/** Checks the number of bytes and the signature. */
export function checkType(bytes: Uint8Array, { maxBytes }: PictureLimits): PictureType {
  if (bytes.length > maxBytes) {
    throw new PictureError('too-large', 'The picture is larger than {megabytes} MB. Send a smaller one.', {
      megabytes: megabytes(maxBytes),
    });
  }
  const contentType = detectType(bytes);
  if (contentType) return contentType;
  throw new PictureError(
    'unsupported',
    'This picture format is not supported. Send a PNG, JPEG, WebP, GIF or AVIF.',
  );
}

/** Reads the header, without decoding any pixels, and checks the format and the number of pixels. */
export async function checkHeader(
  bytes: Uint8Array,
  contentType: PictureType,
  { maxPixels }: PictureLimits,
): Promise<Size> {
  const header = await openPicture(bytes, false);
  const { format, ...decoded } = await header.metadata();
  if (format !== FORMATS[contentType]) {
    throw new PictureError(
      'broken',
      'The header of the picture does not match its content. Save it again and retry.',
    );
  }
  const { width, height } = chooseLarger(decoded, contentType === 'image/gif' ? gifScreen(bytes) : decoded);
  if (width * height > maxPixels) {
    throw new PictureError(
      'too-large',
      'The picture has {width} x {height} pixels, more than {millions} million. Scale it down.',
      { width: String(width), height: String(height), millions: String(maxPixels / 1_000_000) },
    );
  }
  return { width: decoded.width, height: decoded.height };
}

interface Size {
  width: number;
  height: number;
}

/** The canvas that browsers allocate for a GIF. The decoder ignores it and reports the size of the frames. */
function gifScreen(bytes: Uint8Array): Size {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return { width: view.getUint16(6, true), height: view.getUint16(8, true) };
}

const chooseLarger = (a: Size, b: Size) => (a.width * a.height >= b.width * b.height ? a : b);

function megabytes(bytes: number): number {
  return Math.floor((bytes / 1024 / 1024) * 10) / 10;
}
