import { type Refusal, type ThreadReply, toRefusal } from '../../../lib/threads.ts';
import { type Prepared, type PrepareRequest, prepare } from './prepare.ts';

declare const self: Worker;

/** A thread that reads imports, one at a time. */
self.onmessage = async ({ data }: MessageEvent<PrepareRequest>) => {
  try {
    send(await prepare(data));
  } catch (error) {
    send(toRefusal(error));
  }
};

function send(reply: ThreadReply<Prepared | Refusal>): void {
  self.postMessage(reply);
}
