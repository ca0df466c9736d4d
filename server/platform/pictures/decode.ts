import type { Sharp } from 'sharp';
import { createSemaphore } from '../../lib/queues.ts';
import { PictureError } from './picture-error.ts';
import { loadSharp } from './sharp.ts';

const TIMEOUT_SECONDS = 15;
const AT_ONCE = 2;
const MAX_WAITING = 50;

const takeTurn = createSemaphore(AT_ONCE, MAX_WAITING);

/** Opens a picture. If `maxPixels` is false, only read its header. */
export async function openPicture(bytes: Uint8Array, maxPixels: number | false): Promise<Sharp> {
  const sharp = await loadSharp();
  return sharp(bytes, {
    limitInputPixels: maxPixels,
    failOn: 'truncated',
    sequentialRead: true,
    pages: 1,
  }).timeout({ seconds: TIMEOUT_SECONDS });
}

/** Runs work on a picture when it is its turn. Converts errors of the decoder to a PictureError. */
export async function processPicture<T>(work: () => Promise<T>): Promise<T> {
  return takeTurn(
    async () => {
      try {
        return await work();
      } catch (cause) {
        throw explain(cause);
      }
    },
    () => new PictureError('busy', 'Too many pictures are being processed. Try again in a moment.'),
  );
}

/** The decoder's errors have only messages, no codes. */
function explain(cause: unknown): PictureError {
  if (cause instanceof PictureError) return cause;
  const words = cause instanceof Error ? cause.message : '';
  if (words.startsWith('timeout: ')) {
    return new PictureError(
      'too-large',
      'The picture takes too long to read. Send a simpler one.',
      {},
      {
        cause,
      },
    );
  }
  if (words.includes('exceeds pixel limit')) {
    return new PictureError('too-large', 'The picture has too many pixels. Scale it down.', {}, { cause });
  }
  return new PictureError(
    'broken',
    'The picture is damaged or incomplete. Save it again and retry.',
    {},
    {
      cause,
    },
  );
}
