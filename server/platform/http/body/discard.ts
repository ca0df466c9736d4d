import { Pieces } from './pieces.ts';

const DISCARD_MS = 5_000;
const DISCARD_BYTES = 128 * 1024 * 1024;
/** A client that has sent nothing for this long is waiting for its response. */
const QUIET_MS = 500;
/** The time between a response and the end of a connection on which the client is still sending. */
const LINGER_MS = 1_000;

/** How a body ended that is discarded: it has arrived, its client is silent, or it goes on for too long. */
type End = 'whole' | 'quiet' | 'endless';

interface Discard {
  finished: Promise<End>;
  pieces: Pieces;
}

/** Bodies that are being discarded. */
const discards = new WeakMap<Request, Discard>();

/**
 * Keeps reading for a while and discards the bytes. Closing a connection while the client still sends resets it, and
 * the client would never read the response.
 */
export function discardRest(request: Request, pieces: Pieces): void {
  discards.set(request, { finished: readOn(pieces, DISCARD_MS), pieces });
}

/**
 * A body that nobody wanted may still be arriving. Closing the connection before it has arrived would lose the
 * response. But parsing a body without an end can take all the time of the server, so a client that goes on sending
 * loses its connection.
 */
export function whenReadable(
  request: Request,
  response: Response,
  isDraining: boolean,
): Response | Promise<Response> {
  const isChunked = request.headers.has('transfer-encoding');
  // Bun does not show the body of such a request, so nobody can wait for its end.
  if (request.method === 'GET' || request.method === 'HEAD') return isChunked ? closing(response) : response;
  const isLast = isDraining || /\bclose\b/i.test(request.headers.get('connection') ?? '');
  const discard = isLast || isChunked ? findDiscard(request) : undefined;
  return discard ? whenDrained(response, discard) : response;
}

async function whenDrained(response: Response, discard: Discard): Promise<Response> {
  const end = await untilQuiet(discard);
  if (end === 'whole') return response;
  return end === 'quiet' ? closing(response) : lingering(closing(response), discard.pieces);
}

/** Reads on for a moment after the response: a client that stops when it sees the response can read all of it. */
function lingering(response: Response, pieces: Pieces): Response {
  const { status, headers } = response;
  const linger = async () => {
    await Promise.race([readOn(pieces, LINGER_MS), Bun.sleep(LINGER_MS)]);
    await stop(pieces);
  };
  const delayed = new TransformStream({ flush: linger });
  // Bun sends a stream in chunks.
  headers.delete('content-length');
  return new Response(response.body?.pipeThrough(delayed) ?? null, { status, headers });
}

function closing(response: Response): Response {
  response.headers.set('connection', 'close');
  return response;
}

/** The rest of the body of a request, or undefined if there is nothing to wait for. */
function findDiscard(request: Request): Discard | undefined {
  if (!discards.has(request)) {
    if (request.bodyUsed || !request.body || request.body.locked) return undefined;
    discardRest(request, new Pieces(request.body.getReader()));
  }
  return discards.get(request);
}

/** Waits until the client has sent the rest of its body, or has been silent for a while, or has sent too much. */
async function untilQuiet({ finished, pieces }: Discard): Promise<End> {
  let end: End | undefined;
  const ended = finished.then((known) => {
    end = known;
  });
  while (end === undefined && Date.now() - pieces.lastByteAt < QUIET_MS) {
    await Promise.race([ended, Bun.sleep(QUIET_MS)]);
  }
  return end ?? 'quiet';
}

async function readOn(pieces: Pieces, ms: number): Promise<End> {
  const deadline = Date.now() + ms;
  try {
    for (let size = 0; size < DISCARD_BYTES && Date.now() < deadline; ) {
      const bytes = await pieces.read();
      if (!bytes) return pieces.isCancelled ? 'endless' : 'whole';
      size += bytes.byteLength;
    }
  } catch {
    // The client has disconnected.
    await stop(pieces);
  }
  return 'endless';
}

async function stop(pieces: Pieces): Promise<void> {
  await pieces.cancel().catch(() => undefined);
}
