import { LOGO_TYPES, MAX_LOGO_BYTES, MAX_LOGO_PIXELS } from '../../../../contract/rules/limits.ts';
import { AppError } from '../../../lib/errors.ts';
import { checkPicture, PICTURE_LIMITS, PictureError, reencode } from '../../../platform/pictures/index.ts';

const SIZES = [MAX_LOGO_PIXELS, MAX_LOGO_PIXELS / 2, MAX_LOGO_PIXELS / 4];

/** A logo as PNG with only its pixels, small enough for every screen. */
export async function toLogo(bytes: Uint8Array): Promise<Uint8Array> {
  try {
    const { contentType } = await checkPicture(bytes, { ...PICTURE_LIMITS, maxBytes: MAX_LOGO_BYTES });
    if (!LOGO_TYPES.some((type) => type === contentType)) throw unsupported();
    for (const size of SIZES) {
      const png = await reencode(bytes, { maxWidth: size, maxHeight: size });
      if (png.length <= MAX_LOGO_BYTES) return png;
    }
    throw new AppError('BAD_REQUEST', 'The logo has too many details. Send a simpler one.');
  } catch (error) {
    if (!(error instanceof PictureError)) throw error;
    if (error.reason === 'unsupported') throw unsupported();
    throw new AppError('BAD_REQUEST', error.text.text, error.text.values);
  }
}

const unsupported = () =>
  new AppError(
    'UNSUPPORTED_MEDIA_TYPE',
    'The logo must be a PNG, JPEG or WebP picture. Convert it and send it again.',
  );
