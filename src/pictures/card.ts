import sharp from 'sharp';
import { createSemaphore } from '../lib/queues.ts';
import type { Card } from './card-layout.ts';
import { PictureError } from './picture-error.ts';

/** What goes to the drawing thread and comes back. */
export interface CardRequest {
  id: number;
  card: Card;
}
export type CardReply = { id: number; svg: string } | { id: number; problem: string };

const LAYOUT_DEADLINE_MS = 20_000;
const IDLE_MS = 60_000;
const MAX_WAITING = 50;

const takeTurn = createSemaphore(1, MAX_WAITING);

/** Draws the card of a page, 1200 x 630 as PNG, on this machine: the same card, the same picture. */
export async function drawCard(card: Card): Promise<Uint8Array> {
  return takeTurn(
    async () => {
      const svg = await layOutInThread(card);
      return sharp(Buffer.from(svg)).flatten().png({ compressionLevel: 9, palette: false }).toBuffer();
    },
    () => new PictureError('busy', 'Too many pictures are being drawn. Try again in a moment.'),
  );
}

let worker: Worker | undefined;
let nextId = 1;
let idle: Timer | undefined;

/**
 * The layout works where it is called, up to half a second when it meets its fonts for the first time: too long for
 * the thread that answers everybody. The thread begins with the first card and ends after a minute without any.
 */
function layOutInThread(card: Card): Promise<string> {
  clearTimeout(idle);
  worker ??= new Worker(new URL('./card.worker.ts', import.meta.url));
  const thread = worker;
  const id = nextId++;
  thread.ref();
  return new Promise<string>((resolve, reject) => {
    const deadline = setTimeout(() => fail('it took too long'), LAYOUT_DEADLINE_MS);
    const fail = (why: string) => {
      clearTimeout(deadline);
      stopThread();
      reject(new Error(`The card was not drawn: ${why}`));
    };
    thread.onerror = (event) => fail(event.message);
    thread.onmessage = ({ data }: MessageEvent<CardReply>) => {
      if (data.id !== id) return;
      if ('problem' in data) return fail(data.problem);
      clearTimeout(deadline);
      rest(thread);
      resolve(data.svg);
    };
    thread.postMessage({ id, card } satisfies CardRequest);
  });
}

function rest(thread: Worker): void {
  thread.unref();
  idle = setTimeout(stopThread, IDLE_MS);
  idle.unref();
}

function stopThread(): void {
  worker?.terminate();
  worker = undefined;
}
