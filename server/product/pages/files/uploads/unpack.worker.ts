import { type Refusal, type ThreadReply, toRefusal } from '../../../../lib/threads.ts';
import { type Unpacked, type UnpackRequest, unpack } from './unpack.ts';

declare const self: Worker;

/** A thread that unpacks uploads, one at a time. */
self.onmessage = ({ data }: MessageEvent<UnpackRequest>) => {
  try {
    send(unpack(data));
  } catch (error) {
    send(toRefusal(error));
  }
};

function send(reply: ThreadReply<Unpacked | Refusal>): void {
  self.postMessage(reply);
}
