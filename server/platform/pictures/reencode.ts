import { checkHeader, checkType, PICTURE_LIMITS } from './check.ts';
import { openPicture, processPicture } from './decode.ts';

/** The frame a picture is brought into. */
export interface ReencodeOptions {
  maxWidth: number;
  maxHeight: number;
  /** `inside` (default) keeps all of it and never enlarges; `cover` fills the frame exactly and cuts what is over. */
  fit?: 'inside' | 'cover';
}

/**
 * Draws a picture anew: upright, in sRGB, and with nothing in it but its pixels (no place, no camera, no hidden file).
 * Always PNG: link previews must be PNG, every reader and every vision model takes it, and generated pictures with
 * text and flat areas stay sharp. WebP would be smaller for photographs only, at the price of a second kind to test.
 */
export async function reencode(bytes: Uint8Array, options: ReencodeOptions): Promise<Uint8Array> {
  const contentType = checkType(bytes, PICTURE_LIMITS);
  const { maxWidth, maxHeight, fit = 'inside' } = options;
  return processPicture(async () => {
    await checkHeader(bytes, contentType, PICTURE_LIMITS);
    return openPicture(bytes, PICTURE_LIMITS.maxPixels)
      .autoOrient()
      .resize(maxWidth, maxHeight, { fit, withoutEnlargement: fit === 'inside' })
      .toColourspace('srgb')
      .png({ compressionLevel: 8 })
      .toBuffer();
  });
}
