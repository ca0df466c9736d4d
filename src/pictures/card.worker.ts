import type { CardReply, CardRequest } from './card.ts';
import { layOutCard } from './card-layout.ts';

declare const self: Worker;

/** The drawing thread: lays cards out, one after the other. */
self.onmessage = async ({ data: { id, card } }: MessageEvent<CardRequest>) => {
  self.postMessage(await answer(id, () => layOutCard(card)));
};

async function answer(id: number, layOut: () => Promise<string>): Promise<CardReply> {
  try {
    return { id, svg: await layOut() };
  } catch (error) {
    return { id, problem: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}
