import { type ThreadReply, toProblem } from '../../../lib/threads.ts';
import { readDocument, readScripts } from './document.ts';
import type { ReadReply, ReadRequest } from './warnings.ts';

declare const self: Worker;

/** A thread that reads documents, one at a time. */
self.onmessage = async ({ data }: MessageEvent<ReadRequest>) => {
  try {
    const read = data.isScript ? readScripts : readDocument;
    send({ found: await read(data.html, data.baseUrl) });
  } catch (error) {
    send(toProblem(error));
  }
};

function send(reply: ThreadReply<ReadReply>): void {
  self.postMessage(reply);
}
