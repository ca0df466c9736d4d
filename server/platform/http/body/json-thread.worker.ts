import { checkJson, JsonError, parseChecked } from '../../../lib/json.ts';
import { type ThreadReply, toProblem } from '../../../lib/threads.ts';
import { COPIED_VALUES, type JsonReply, type JsonRequest } from './json-thread.ts';

declare const self: Worker;

/** The parsing thread: parses large bodies one at a time. */
self.onmessage = ({ data }: MessageEvent<JsonRequest>) => {
  const reply = read(data);
  self.postMessage(reply, 'bytes' in reply ? [reply.bytes] : []);
};

function read({ bytes, limits }: JsonRequest): ThreadReply<JsonReply> {
  try {
    const json = new Uint8Array(bytes);
    return checkJson(json, limits) > COPIED_VALUES ? { bytes } : { value: parseChecked(json) };
  } catch (error) {
    if (error instanceof JsonError) return { fault: error.text };
    return toProblem(error);
  }
}
