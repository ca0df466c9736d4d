import { DATABASE_HEADERS, DATABASE_PATHS, MOVE_PATHS } from '../protocol.ts';
import { isStorageFull } from '../workerd-messages.ts';
import { outcomeUnknown, relocating, toFailure } from './failures.ts';
import { type Forward, movedTo } from './moves/forward.ts';
import { parseTarget } from './target.ts';

/**
 * Sends a request to a database at any node of the cluster. If its node has ended, requests fail immediately until
 * the node's lease is over. If the node hangs or is cut off, requests stay without a response for ever.
 */

/**
 * A relocating database is waited for. A function must respond within 30 seconds, and so must its database. We wait
 * longest if waiting is sure to help: for a database that is being handed over, and for a write that was lost, because
 * only its database can say whether it ran.
 */
const WAIT_MS = 10_000;
const MAX_WAIT_MS = 25_000;
const RETRY_LOST_MS = 5_000;
const RETRY_MS = 250;
/** A larger body is streamed, and cannot be sent again. */
const MAX_BUFFERED_BYTES = 16 * 1024 * 1024;
/**
 * After this long without a response, we ask the database whether it is busy with the request, on a new connection: it
 * may have relocated.
 */
const DOUBT_MS = 5_000;
const PING_EVERY_MS = 3_000;
/** A database that is not busy with a request may have just responded to it, or may be about to receive it. */
const GRACE_MS = 2_000;

/** `lost`: the request may have run. `not run`: it has not. `draining`: it has not, its host shuts down. */
type Outcome = Response | 'lost' | 'not run' | 'draining';

/** When a host of this shard last said that it is shutting down. It may have had any of the databases. */
let drainSeenAt = Number.NEGATIVE_INFINITY;

interface Connection {
  fetch(request: Request): Promise<Response>;
}

/**
 * `connect` opens a new connection each time: one that has failed is of no use. `forward` sends the request on if the
 * database is in another shard.
 */
export async function sendToDatabase(
  connect: () => Connection,
  request: Request,
  isRepeatable: (body: Uint8Array) => boolean,
  forward: Forward,
): Promise<Response> {
  if (Number(request.headers.get('content-length') ?? Infinity) > MAX_BUFFERED_BYTES && request.body)
    return sendOnce(connect(), request, forward);
  const body = new Uint8Array(await request.arrayBuffer());
  const startedAt = Date.now();
  let deadline = startedAt + WAIT_MS;
  const isWrite = !isRepeatable(body);
  const headers = new Headers(request.headers);
  if (isWrite) headers.set(DATABASE_HEADERS.writeId, crypto.randomUUID());
  let isResent = false;
  for (;;) {
    // An age, not a time: the database may be on a machine with another clock.
    if (isResent) headers.set(DATABASE_HEADERS.resentAfter, String(Date.now() - startedAt));
    const outcome = await attempt(connect, request, headers, observed(body));
    if (outcome instanceof Response) {
      if (outcome.headers.has(DATABASE_HEADERS.maybeRun)) return outcomeUnknown();
      const moved = movedTo(outcome);
      return moved && !MOVE_PATHS.includes(parseTarget(request).pathname)
        ? forward(moved, () => ({ ...observed(body), length: body.length }))
        : outcome;
    }
    if (outcome === 'draining') drainSeenAt = Date.now();
    if (outcome === 'lost') {
      // From now on the database checks first whether it has begun this write.
      if (isWrite) isResent = true;
      // Finding out may have taken long, so the database has most likely relocated by now.
      deadline = Math.max(deadline, Date.now() + RETRY_LOST_MS);
    }
    if (isResent || startedAt - drainSeenAt < MAX_WAIT_MS) deadline = startedAt + MAX_WAIT_MS;
    if (Date.now() > Math.min(deadline, startedAt + MAX_WAIT_MS))
      return isResent ? outcomeUnknown() : relocating();
    await sleep(RETRY_MS);
  }
}

/**
 * Opens a transaction. Its sender sends nothing before it is open, so an attempt that fails can be repeated. Once it is
 * open, nothing is sent again.
 */
export async function openAtDatabase(
  connect: () => Connection,
  request: Request,
  makeBody: () => TransformStream<Uint8Array, Uint8Array>,
  forward: Forward,
): Promise<Response> {
  const startedAt = Date.now();
  const headers = new Headers(request.headers);
  const openBody = () => {
    const { readable, writable } = makeBody();
    return {
      stream: readable,
      isSent: () => false,
      onResponse: () => void request.body?.pipeTo(writable).catch(() => undefined),
      abort: () => void writable.abort().catch(() => undefined),
    };
  };
  for (;;) {
    const body = openBody();
    const outcome = await attempt(connect, request, headers, body);
    const moved = outcome instanceof Response ? movedTo(outcome) : undefined;
    if (outcome instanceof Response && !moved) {
      body.onResponse();
      return outcome;
    }
    body.abort();
    if (moved) return forward(moved, openBody);
    if (outcome === 'draining') drainSeenAt = Date.now();
    const waitMs = startedAt - drainSeenAt < MAX_WAIT_MS ? MAX_WAIT_MS : WAIT_MS;
    if (Date.now() > startedAt + waitMs) return relocating();
    await sleep(RETRY_MS);
  }
}

/** Asks first where the database is: the body cannot be sent again. */
async function sendOnce(stub: Connection, request: Request, forward: Forward): Promise<Response> {
  try {
    const sent = request.headers.get('content-length');
    const length = sent === null ? {} : { length: Number(sent) };
    const isMove = MOVE_PATHS.includes(parseTarget(request).pathname);
    const moved = isMove ? undefined : movedTo(await stub.fetch(arrival(request)));
    if (moved)
      return forward(moved, () => ({ stream: request.body, isSent: () => request.bodyUsed, ...length }));
    const response = await stub.fetch(request);
    if (response.headers.has(DATABASE_HEADERS.notRun)) return relocating();
    return movedTo(response) && !isMove ? relocating() : response;
  } catch (error) {
    return isStorageFull(error) ? toFailure(error) : outcomeUnknown();
  }
}

function arrival({ headers }: Request): Request {
  const names = [DATABASE_HEADERS.database, DATABASE_HEADERS.owner, DATABASE_HEADERS.moved];
  const copied = names.flatMap((name) => (headers.has(name) ? [[name, headers.get(name) ?? '']] : []));
  const init = { method: 'POST', headers: Object.fromEntries(copied) };
  return new Request(`http://database${DATABASE_PATHS.moveArrive}`, init);
}

async function attempt(
  connect: () => Connection,
  request: Request,
  headers: Headers,
  { stream, isSent }: SentBody,
): Promise<Outcome> {
  const id = crypto.randomUUID();
  headers.set(DATABASE_HEADERS.attempt, id);
  const onward = new Request(request.url, { method: request.method, headers, body: stream });
  const responded = connect()
    .fetch(onward)
    .then(
      (response): Outcome => (response.headers.has(DATABASE_HEADERS.notRun) ? 'draining' : response),
      (error: unknown): Outcome => {
        // The write found no space and was undone. The object ended and came back, but it did not relocate.
        if (isStorageFull(error)) return toFailure(error);
        return isSent() ? 'lost' : 'not run';
      },
    );
  return Promise.race([responded, untilLost(connect, id, responded)]);
}

interface SentBody {
  stream: ReadableStream<Uint8Array>;
  /** Whether the database may have run it. */
  isSent(): boolean;
}

/** A body that knows whether its end was taken. A database runs nothing before it has the whole body. */
function observed(body: Uint8Array): SentBody {
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

/**
 * Resolves when the request was lost with its node, which may be long after. A database that is busy with it has not
 * lost it, however long that takes.
 */
async function untilLost(
  connect: () => Connection,
  id: string,
  responded: Promise<unknown>,
): Promise<'lost'> {
  let isOver = false;
  const over = responded.then(() => {
    isOver = true;
  });
  const pause = (milliseconds: number) => Promise.race([over, sleep(milliseconds)]);
  await pause(DOUBT_MS);
  let isMissing = false;
  while (!isOver) {
    const answer = await Promise.race([ping(connect(), id), pause(PING_EVERY_MS)]);
    // Asked twice: by the second answer, a response that was sent before the first has arrived, even on a busy machine.
    if (answer === 'missing' && isMissing) break;
    isMissing = answer === 'missing';
    if (isMissing) await pause(GRACE_MS);
    else await pause(answer === 'busy' ? PING_EVERY_MS : RETRY_MS);
  }
  return 'lost';
}

/** Asks a database whether it is busy with an attempt; undefined if it does not answer, as during a transaction. */
async function ping(stub: Connection, id: string): Promise<'busy' | 'missing' | undefined> {
  const headers = { [DATABASE_HEADERS.attempt]: id };
  const request = new Request(`http://database${DATABASE_PATHS.ping}`, { headers });
  return stub.fetch(request).then(
    (response) => (response.headers.has(DATABASE_HEADERS.busy) ? 'busy' : 'missing'),
    () => undefined,
  );
}

function sleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
