import { openPicture, processPicture } from './decode.ts';
import { type PictureHeader, type PictureType, readHeader } from './header.ts';
import { PictureError } from './picture-error.ts';

/** How much of a picture is taken. */
export interface PictureLimits {
  maxBytes: number;
  maxPixels: number;
}

/** The limits when none are given: 10 MB and 40 million pixels. */
export const PICTURE_LIMITS: PictureLimits = { maxBytes: 10 * 1024 * 1024, maxPixels: 40_000_000 };

/** A picture that was looked at: these bytes are what `contentType` says, and can be shown. */
export interface CheckedPicture extends PictureHeader {
  bytes: Uint8Array;
}

/** What the decoder calls the kinds. */
const FORMATS: Record<PictureType, string> = {
  'image/png': 'png',
  'image/jpeg': 'jpeg',
  'image/webp': 'webp',
  'image/gif': 'gif',
  'image/avif': 'heif',
};

/**
 * Finds out what a picture really is, from its bytes alone. Kind and size are decided from the header, so that a bomb
 * costs nothing; then it is decoded once, in strips that are thrown away, to see that it is whole.
 * The bytes come back as they were, with whatever hides in or behind them: re-encode what others will see.
 */
export async function checkPicture(
  bytes: Uint8Array,
  limits: PictureLimits = PICTURE_LIMITS,
): Promise<CheckedPicture> {
  const { contentType } = checkHeader(bytes, limits);
  return processPicture(async () => {
    const { format, width, height } = await openPicture(bytes, limits.maxPixels).metadata();
    if (format !== FORMATS[contentType]) {
      throw new PictureError('broken', 'The picture contradicts itself. Save it again and retry.');
    }
    await openPicture(bytes, limits.maxPixels)
      .resize(1, 1, { fit: 'fill', fastShrinkOnLoad: false })
      .raw()
      .toBuffer();
    // The decoder's size, which the limit held for too: an AVIF may say in its header that it is to be turned.
    return { bytes, contentType, width, height };
  });
}

/** The checks that need no decoding. */
export function checkHeader(bytes: Uint8Array, limits: PictureLimits): PictureHeader {
  if (bytes.length > limits.maxBytes) {
    throw new PictureError(
      'too-large',
      `The picture is larger than ${megabytes(limits.maxBytes)} MB. Send a smaller one.`,
    );
  }
  const header = readHeader(bytes);
  if (!header) {
    throw new PictureError(
      'unsupported',
      'This is not a picture we can take. Send a PNG, JPEG, WebP, GIF or AVIF.',
    );
  }
  const { width, height } = header;
  if (width === 0 || height === 0) {
    throw new PictureError('broken', 'The picture is damaged or incomplete. Save it again and retry.');
  }
  if (width * height > limits.maxPixels) {
    const most = `${limits.maxPixels / 1_000_000} million`;
    throw new PictureError(
      'too-large',
      `The picture has ${width} x ${height} pixels, more than ${most}. Scale it down.`,
    );
  }
  return header;
}

function megabytes(bytes: number): number {
  return Math.floor((bytes / 1024 / 1024) * 10) / 10;
}
