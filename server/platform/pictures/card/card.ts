import { phrase } from '../../../../contract/rules/texts/fill.ts';
import { createSemaphore } from '../../../lib/queues.ts';
import { createThreads } from '../../../lib/threads.ts';
import { PictureError } from '../picture-error.ts';
import { loadSharp } from '../sharp.ts';
import type { Card } from './layout.ts';

/** The reply of the drawing thread. */
export interface CardReply {
  svg: string;
}

const MAX_WAITING = 50;

const takeTurn = createSemaphore(1, MAX_WAITING);

/**
 * The layout blocks its thread for up to half a second when it first loads its fonts. That is too long for the thread
 * that serves requests.
 */
const threads = createThreads<Card, CardReply>(
  () => new Worker(new URL('./card.worker.ts', import.meta.url)),
);

/** Draws the card of a page locally, as a PNG of 1200 x 630 pixels. The same card always gives the same picture. */
export async function drawCard(card: Card): Promise<Uint8Array> {
  return takeTurn(
    async () => {
      const { svg } = await threads.ask(card, { failure: phrase('The card was not drawn') });
      const sharp = await loadSharp();
      return sharp(Buffer.from(svg)).flatten().png({ compressionLevel: 9, palette: false }).toBuffer();
    },
    () => new PictureError('busy', 'Too many pictures are being drawn. Try again in a moment.'),
  );
}
