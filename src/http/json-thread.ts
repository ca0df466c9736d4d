import { createFairQueue } from '../lib/fair-queue.ts';
import { JsonError, type JsonLimits, parseChecked } from '../lib/json.ts';
import { AppError } from './errors.ts';

/** What goes to the parsing thread and comes back. */
export interface JsonRequest {
  bytes: ArrayBuffer;
  limits: JsonLimits;
}
export type JsonReply =
  | { value: unknown }
  /** Checked, but parsed sooner than a copy of its many values would be made. */
  | { bytes: ArrayBuffer }
  | { fault: string }
  | { problem: string };

/** Up to here a body is parsed where it is read: that takes a few thousandths of a second at worst. */
export const INLINE_BYTES = 256 * 1024;

/** A value that comes from another thread is copied, which takes longer than parsing when there are many in it. */
export const COPIED_VALUES = 20_000;

const DEADLINE_MS = 20_000;
const IDLE_MS = 60_000;
/** Those who wait do so with their bodies in memory. */
const MAX_WAITING = 50;

const takeTurn = createFairQueue({
  width: 1,
  maxWaiting: MAX_WAITING,
  refused: () =>
    new AppError('UNAVAILABLE', 'Too many large requests are being read. Try again in a few seconds.', {
      headers: { 'retry-after': '5' },
    }),
});

/**
 * Parses a large body away from the thread that answers everybody: a long text with an escape for each letter takes
 * several tenths of a second.
 */
export function parseInThread(body: {
  bytes: Uint8Array;
  limits: JsonLimits;
  sender: string;
}): Promise<unknown> {
  const { bytes, limits, sender } = body;
  return takeTurn(sender, async () => {
    const reply = await ask({ bytes: ownBuffer(bytes), limits });
    if ('value' in reply) return reply.value;
    if ('bytes' in reply) return parseChecked(new Uint8Array(reply.bytes));
    if ('fault' in reply) throw new JsonError(reply.fault);
    throw new Error(`A request body was not parsed: ${reply.problem}`);
  });
}

/** The buffer of these bytes alone: it is given away, and others may have theirs in the same one. */
function ownBuffer(bytes: Uint8Array): ArrayBuffer {
  const { buffer, byteLength } = bytes;
  const isWhole = buffer instanceof ArrayBuffer && buffer.byteLength === byteLength;
  return isWhole ? buffer : (new Uint8Array(bytes).buffer as ArrayBuffer);
}

let worker: Worker | undefined;
let idle: Timer | undefined;

/** The thread begins with the first large body and ends after a minute without any. One at a time: see `takeTurn`. */
function ask(request: JsonRequest): Promise<JsonReply> {
  clearTimeout(idle);
  worker ??= new Worker(new URL('./json.worker.ts', import.meta.url));
  const thread = worker;
  thread.ref();
  return new Promise((resolve, reject) => {
    const deadline = setTimeout(() => fail('it took too long'), DEADLINE_MS);
    const fail = (why: string) => {
      clearTimeout(deadline);
      stopThread();
      reject(new Error(`A request body was not parsed: ${why}`));
    };
    thread.onerror = (event) => fail(event.message);
    thread.onmessage = ({ data }: MessageEvent<JsonReply>) => {
      clearTimeout(deadline);
      rest(thread);
      resolve(data);
    };
    thread.postMessage(request, [request.bytes]);
  });
}

function rest(thread: Worker): void {
  thread.unref();
  idle = setTimeout(stopThread, IDLE_MS);
  idle.unref();
}

function stopThread(): void {
  worker?.terminate();
  worker = undefined;
}
