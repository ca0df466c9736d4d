import { DATABASE_HEADERS, DATABASE_PATHS } from '../protocol.ts';
import { isStorageFull } from '../workerd-messages.ts';
import { outcomeUnknown, relocating, toFailure } from './failures.ts';

/**
 * Sends a request to a database at any node of the cluster. If its node has ended, requests fail immediately until
 * the node's lease is over. If the node hangs or is cut off, requests stay without a response for ever.
 */

/** A relocating database is waited for. A function must respond within 30 seconds, and so must its database. */
const WAIT_MS = 10_000;
const MAX_WAIT_MS = 25_000;
const RETRY_LOST_MS = 5_000;
const RETRY_MS = 250;
/** A larger body is streamed, and cannot be sent again. */
const MAX_BUFFERED_BYTES = 16 * 1024 * 1024;
/** After this long without a response, we ask whether the database is there, on a new connection: it may have relocated. */
const DOUBT_MS = 5_000;
const PING_EVERY_MS = 3_000;
/** Once it has answered a ping, a request from before is answered within this time, or never. */
const GRACE_MS = 2_000;

/** `lost`: it may have run. `not run`: it certainly has not. */
type Outcome = Response | 'lost' | 'not run';

/** `connect` opens a new connection each time: one that has failed is of no use. */
export async function sendToDatabase(
  connect: () => DurableObjectStub,
  request: Request,
  isRepeatable: (body: Uint8Array) => boolean,
): Promise<Response> {
  if (Number(request.headers.get('content-length') ?? Infinity) > MAX_BUFFERED_BYTES && request.body)
    return sendOnce(connect(), request);
  const body = new Uint8Array(await request.arrayBuffer());
  const startedAt = Date.now();
  let deadline = startedAt + WAIT_MS;
  const isWrite = !isRepeatable(body);
  const headers = new Headers(request.headers);
  if (isWrite) headers.set(DATABASE_HEADERS.writeId, crypto.randomUUID());
  for (;;) {
    const outcome = await attempt(connect, request, headers, body);
    if (outcome instanceof Response)
      return outcome.headers.has(DATABASE_HEADERS.maybeRun) ? outcomeUnknown() : outcome;
    if (outcome === 'lost') {
      // From now on the database checks first whether it has begun this write.
      if (isWrite) headers.set(DATABASE_HEADERS.resentAt, String(startedAt));
      // It may have taken long to find out, so the database has most likely relocated by now.
      deadline = Math.min(startedAt + MAX_WAIT_MS, Math.max(deadline, Date.now() + RETRY_LOST_MS));
    }
    if (Date.now() > deadline)
      return headers.has(DATABASE_HEADERS.resentAt) ? outcomeUnknown() : relocating();
    await sleep(RETRY_MS);
  }
}

async function sendOnce(stub: DurableObjectStub, request: Request): Promise<Response> {
  try {
    const response = await stub.fetch(request);
    return response.headers.has(DATABASE_HEADERS.notRun) ? relocating() : response;
  } catch (error) {
    return isStorageFull(error) ? toFailure(error) : outcomeUnknown();
  }
}

async function attempt(
  connect: () => DurableObjectStub,
  request: Request,
  headers: Headers,
  body: Uint8Array,
): Promise<Outcome> {
  const { stream, isSent } = observed(body);
  const onward = new Request(request.url, { method: request.method, headers, body: stream });
  const responded = connect()
    .fetch(onward)
    .then(
      (response): Outcome => (response.headers.has(DATABASE_HEADERS.notRun) ? 'not run' : response),
      (error: unknown): Outcome => {
        // It found no space and was undone. The object ended and came back, but it did not relocate.
        if (isStorageFull(error)) return toFailure(error);
        return isSent() ? 'lost' : 'not run';
      },
    );
  return Promise.race([responded, untilLost(connect, responded)]);
}

/** A body that knows whether its end was taken. A database runs nothing before it has the whole body. */
function observed(body: Uint8Array): { stream: ReadableStream<Uint8Array>; isSent(): boolean } {
  let isOffered = false;
  let isComplete = false;
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
  return { stream, isSent: () => isComplete };
}

/** Resolves when the request was lost with its node, which may be long after. */
async function untilLost(connect: () => DurableObjectStub, responded: Promise<unknown>): Promise<'lost'> {
  let isOver = false;
  const over = responded.then(() => {
    isOver = true;
  });
  await Promise.race([over, sleep(DOUBT_MS)]);
  while (!isOver) {
    const ping = connect()
      .fetch(new Request(`http://database${DATABASE_PATHS.ping}`))
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
