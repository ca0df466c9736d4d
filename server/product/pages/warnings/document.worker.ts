import { type ThreadReply, toProblem } from '../../../lib/threads.ts';
import { readDocument } from './document.ts';
import type { ReadReply, ReadRequest } from './warnings.ts';

declare const self: Worker;

/** A thread that reads documents, one at a time. */
self.onmessage = async ({ data }: MessageEvent<ReadRequest>) => {
  try {
    send({ found: await readDocument(data.html, data.baseUrl) });
  } catch (error) {
    send(toProblem(error));
  }
};

function send(reply: ThreadReply<ReadReply>): void {
  self.postMessage(reply);
}
