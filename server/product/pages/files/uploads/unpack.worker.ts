import { AppError } from '../../../../lib/errors.ts';
import { type ThreadReply, toProblem } from '../../../../lib/threads.ts';
import { type UnpackRequest, unpack } from './unpack.ts';
import type { UnpackReply } from './uploads.ts';

declare const self: Worker;

/** A thread that unpacks uploads, one at a time. */
self.onmessage = ({ data }: MessageEvent<UnpackRequest>) => {
  try {
    send({ unpacked: unpack(data) });
  } catch (error) {
    if (error instanceof AppError)
      send({ refused: { code: error.code, said: error.text, details: error.details } });
    else if ((error as NodeJS.ErrnoException).code === 'ENOSPC') send({ isDiskFull: true });
    else send(toProblem(error));
  }
};

function send(reply: ThreadReply<UnpackReply>): void {
  self.postMessage(reply);
}
