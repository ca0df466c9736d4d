import { phrase, type Text } from '../../../../contract/rules/texts/fill.ts';
import { AppError } from '../../../lib/errors.ts';
import { createFairQueue } from '../../../lib/fair-queue.ts';
import { JsonError, type JsonLimits, parseChecked } from '../../../lib/json.ts';
import { createThreads } from '../../../lib/threads.ts';

/** A request to the parsing thread. */
export interface JsonRequest {
  bytes: ArrayBuffer;
  limits: JsonLimits;
}
export type JsonReply =
  | { value: unknown }
  /** Checked but not parsed: copying its many values between threads would take longer than parsing. */
  | { bytes: ArrayBuffer }
  | { fault: Text };

/** Bodies up to this size are parsed on the serving thread, which takes a few milliseconds at most. */
export const INLINE_BYTES = 256 * 1024;

/** A parsed body is copied between threads. With more values than this, copying takes longer than parsing. */
export const COPIED_VALUES = 20_000;

/** Bodies that can wait for the thread. They are few, because they are in memory. */
const MAX_WAITING = 50;

const takeTurn = createFairQueue({
  width: 1,
  maxWaiting: MAX_WAITING,
  refused: () =>
    new AppError(
      'UNAVAILABLE',
      'Too many large requests are being read. Try again in a few seconds.',
      {},
      {
        headers: { 'retry-after': '5' },
      },
    ),
});

const threads = createThreads<JsonRequest, JsonReply>(
  () => new Worker(new URL('./json-thread.worker.ts', import.meta.url)),
);

/** Parses a large body off the serving thread: a long string of escape sequences can take half a second. */
export function parseInThread(body: {
  bytes: Uint8Array;
  limits: JsonLimits;
  sender: string;
}): Promise<unknown> {
  const { bytes, limits, sender } = body;
  return takeTurn(sender, async () => {
    const buffer = ownBuffer(bytes);
    const reply = await threads.ask(
      { bytes: buffer, limits },
      { failure: phrase('A request body was not parsed'), transfer: [buffer] },
    );
    if ('value' in reply) return reply.value;
    if ('bytes' in reply) return parseChecked(new Uint8Array(reply.bytes));
    throw new JsonError(reply.fault.text, reply.fault.values);
  });
}

/** A buffer that contains only these bytes, because the whole buffer is transferred. */
function ownBuffer(bytes: Uint8Array): ArrayBuffer {
  const { buffer, byteLength } = bytes;
  const isWhole = buffer instanceof ArrayBuffer && buffer.byteLength === byteLength;
  return isWhole ? buffer : (new Uint8Array(bytes).buffer as ArrayBuffer);
}
