import { type ThreadReply, toProblem } from '../../../../lib/threads.ts';
import { type Rendered, type RenderInput, renderPage } from './render.ts';
import type { RenderReply } from './renderer.ts';

declare const self: Worker;

/** A rendering thread. It renders one page at a time. */
self.onmessage = async ({ data }: MessageEvent<RenderInput>) => {
  try {
    const rendered = await renderPage(data);
    // Large results are moved, not copied. A small result may share its memory with others, which must stay here.
    const variants = [rendered.plain, rendered.gzip, rendered.br];
    for (const variant of variants) variant.bytes = exact(variant.bytes);
    send({ rendered }, [...new Set(variants.map(({ bytes }) => bytes.buffer))]);
  } catch (error) {
    send(toProblem(error));
  }
};

function exact(bytes: Rendered['plain']['bytes']): Rendered['plain']['bytes'] {
  return bytes.byteLength === bytes.buffer.byteLength ? bytes : new Uint8Array(bytes);
}

function send(reply: ThreadReply<RenderReply>, transfer: ArrayBuffer[] = []): void {
  self.postMessage(reply, transfer);
}
