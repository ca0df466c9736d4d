import { checkHeader, checkType, PICTURE_LIMITS } from './check.ts';
import { openPicture, processPicture } from './decode.ts';

/** The frame that a picture is scaled to. */
export interface ReencodeOptions {
  maxWidth: number;
  maxHeight: number;
  /** `inside` (default) keeps the whole picture and never enlarges it; `cover` fills the frame and crops the rest. */
  fit?: 'inside' | 'cover';
  /** The part of the picture that `cover` keeps: the centre (default) or the top. */
  position?: 'centre' | 'top';
}

/**
 * Encodes a picture again: upright, in sRGB, and with only its pixels (no location, no camera, no hidden file). Always
 * PNG: link previews must be PNG, every reader and vision model supports it, and generated pictures with text and flat
 * areas stay sharp. WebP would be smaller only for photographs, and would be a second format to test.
 */
export async function reencode(bytes: Uint8Array, options: ReencodeOptions): Promise<Uint8Array> {
  const contentType = checkType(bytes, PICTURE_LIMITS);
  const { maxWidth, maxHeight, fit = 'inside', position = 'centre' } = options;
  return processPicture(async () => {
    await checkHeader(bytes, contentType, PICTURE_LIMITS);
    const picture = await openPicture(bytes, PICTURE_LIMITS.maxPixels);
    return picture
      .autoOrient()
      .resize(maxWidth, maxHeight, { fit, position, withoutEnlargement: fit === 'inside' })
      .toColourspace('srgb')
      .png({ compressionLevel: 8 })
      .toBuffer();
  });
}
