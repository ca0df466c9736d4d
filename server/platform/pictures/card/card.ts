import sharp from 'sharp';
import { createSemaphore } from '../../../lib/queues.ts';
import { createThreads } from '../../../lib/threads.ts';
import { PictureError } from '../picture-error.ts';
import type { Card } from './layout.ts';

/** What comes back from the drawing thread. */
export interface CardReply {
  svg: string;
}

const MAX_WAITING = 50;

const takeTurn = createSemaphore(1, MAX_WAITING);

/**
 * The layout blocks its thread, for up to half a second when it loads its fonts for the first time: too long for the
 * thread that serves requests.
 */
const threads = createThreads<Card, CardReply>(
  () => new Worker(new URL('./card.worker.ts', import.meta.url)),
);

/** Draws the card of a page, 1200 x 630 as PNG, on this machine: the same card, the same picture. */
export async function drawCard(card: Card): Promise<Uint8Array> {
  return takeTurn(
    async () => {
      const { svg } = await threads.ask(card, { failure: 'The card was not drawn' });
      return sharp(Buffer.from(svg)).flatten().png({ compressionLevel: 9, palette: false }).toBuffer();
    },
    () => new PictureError('busy', 'Too many pictures are being drawn. Try again in a moment.'),
  );
}
