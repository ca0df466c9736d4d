import { type ThreadReply, toProblem } from '../../../lib/threads.ts';
import type { CardReply } from './card.ts';
import { type Card, layOutCard } from './layout.ts';

declare const self: Worker;

/** The drawing thread. Draws one card at a time. */
self.onmessage = async ({ data }: MessageEvent<Card>) => {
  self.postMessage(await layOut(data));
};

async function layOut(card: Card): Promise<ThreadReply<CardReply>> {
  try {
    return { svg: await layOutCard(card) };
  } catch (error) {
    return toProblem(error);
  }
}
