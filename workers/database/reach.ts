/// <reference path="../workerd.d.ts" />
import { isFull, toFailure } from './failures.ts';
import {
  AGAIN,
  MAYBE_RUN,
  MOVING_UNKNOWN,
  MOVING_UNTOUCHED,
  movingAnswer,
  NOT_RUN,
  WRITE_ID,
} from './relocating.ts';

/**
 * Gets a request to a database that is on any machine of the cluster, in workerd. Of a machine that has ended, requests
 * fail at once until its lease is over; of one that hangs or is cut off, they stay without an answer for ever.
 */

type Stub = ReturnType<DurableObjectNamespace['get']>;

/** A database that moves is waited for; a function has to answer within thirty seconds, and so has its caller to hear of it. */
const WAIT_MS = 10_000;
const LONGEST_WAIT_MS = 25_000;
const RETRY_LOST_MS = 5_000;
const RETRY_MS = 250;
/** Larger ones are passed on as they come, and cannot be sent again. */
const MAX_KEPT_BYTES = 16 * 1024 * 1024;
const LONG_BYTES = 64 * 1024;
/** Without an answer for so long, we ask whether the database is there; it is asked anew, since it may have moved. */
const DOUBT_MS = 5_000;
const PING_EVERY_MS = 3_000;
/** What was asked before it answered a ping is answered by then, or never. */
const GRACE_MS = 2_000;

type Outcome = Response | 'lost' | 'untouched';

/** `connect` gives a new way to the database each time: one that failed is of no use any more. */
export async function reach(
  connect: () => Stub,
  request: Request,
  canRepeat: (body: Uint8Array) => boolean,
): Promise<Response> {
  if (Number(request.headers.get('content-length') ?? Infinity) > MAX_KEPT_BYTES && request.body)
    return passOn(connect(), request);
  const body = new Uint8Array(await request.arrayBuffer());
  const startedAt = Date.now();
  let deadline = startedAt + WAIT_MS;
  // What is long is not looked into for nothing.
  const isWrite = body.length > LONG_BYTES || !canRepeat(body);
  const headers = new Headers(request.headers);
  if (isWrite) headers.set(WRITE_ID, crypto.randomUUID());
  for (;;) {
    const outcome = await send(connect, request, headers, body);
    if (outcome instanceof Response)
      return outcome.headers.has(MAYBE_RUN) ? movingAnswer(MOVING_UNKNOWN) : outcome;
    if (outcome === 'lost') {
      // From now on the database is asked first whether it has begun this.
      if (isWrite && !canRepeat(body)) headers.set(AGAIN, String(startedAt));
      // It may have taken long to find out, and then it has most likely moved by now.
      deadline = Math.min(startedAt + LONGEST_WAIT_MS, Math.max(deadline, Date.now() + RETRY_LOST_MS));
    }
    if (Date.now() > deadline) return movingAnswer(headers.has(AGAIN) ? MOVING_UNKNOWN : MOVING_UNTOUCHED);
    await sleep(RETRY_MS);
  }
}

async function passOn(stub: Stub, request: Request): Promise<Response> {
  try {
    const response = await stub.fetch(request);
    return response.headers.has(NOT_RUN) ? movingAnswer(MOVING_UNTOUCHED) : response;
  } catch (error) {
    return isFull(error) ? toFailure(error) : movingAnswer(MOVING_UNKNOWN);
  }
}

async function send(
  connect: () => Stub,
  request: Request,
  headers: Headers,
  body: Uint8Array,
): Promise<Outcome> {
  let isComplete = false;
  // A database runs nothing before it has the whole body: until its end has been taken, nothing has been run.
  const stream = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        if (body.length > 0 && !isOffered) {
          isOffered = true;
          controller.enqueue(body);
        } else {
          isComplete = true;
          controller.close();
        }
      },
    },
    { highWaterMark: 0 },
  );
  let isOffered = false;
  const onward = new Request(request.url, { method: request.method, headers, body: stream });
  const answered = connect()
    .fetch(onward)
    .then(
      (response): Outcome => (response.headers.has(NOT_RUN) ? 'untouched' : response),
      (error: unknown): Outcome => {
        // Found no space, and was undone: the database ended and came back, but it did not move.
        if (isFull(error)) return toFailure(error);
        return isComplete ? 'lost' : 'untouched';
      },
    );
  return Promise.race([answered, lost(connect, answered)]);
}

/** Resolves when the request was lost with its machine, which may be long after. */
async function lost(connect: () => Stub, answered: Promise<unknown>): Promise<'lost'> {
  const isOver = { value: false };
  const over = answered.then(() => {
    isOver.value = true;
  });
  await Promise.race([over, sleep(DOUBT_MS)]);
  while (!isOver.value) {
    const ping = connect()
      .fetch(new Request('http://database/ping'))
      .then(() => true)
      .catch(() => false);
    if (await Promise.race([ping, sleep(PING_EVERY_MS).then(() => false)])) {
      await sleep(GRACE_MS);
      break;
    }
    await sleep(RETRY_MS);
  }
  return 'lost';
}

function sleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
