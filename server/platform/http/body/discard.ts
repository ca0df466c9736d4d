import { Pieces } from './pieces.ts';

const DISCARD_MS = 5_000;
const DISCARD_BYTES = 128 * 1024 * 1024;
/** A client that has sent nothing for this long is waiting for its response. */
const QUIET_MS = 500;

interface Discard {
  /** True if the whole body has arrived. */
  finished: Promise<boolean>;
  pieces: Pieces;
}

/** Bodies that are being discarded. */
const discards = new WeakMap<Request, Discard>();

/**
 * Keeps reading for a while and discards the bytes. Closing a connection while the client still sends resets it, and
 * the client would never read the response.
 */
export function discardRest(request: Request, pieces: Pieces): void {
  discards.set(request, { finished: readOn(pieces), pieces });
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
  const drained = isLast || isChunked ? drainBody(request) : undefined;
  return drained?.then((isWhole) => (isWhole ? response : closing(response))) ?? response;
}

function closing(response: Response): Response {
  response.headers.set('connection', 'close');
  return response;
}

/**
 * Waits until the client has sent the rest of its body, or has been silent for a while. Do this before closing the
 * connection after a response. Returns whether the whole body has arrived, or undefined if there is nothing to wait for.
 */
function drainBody(request: Request): Promise<boolean> | undefined {
  if (!discards.has(request)) {
    if (request.bodyUsed || !request.body || request.body.locked) return undefined;
    discardRest(request, new Pieces(request.body.getReader()));
  }
  const discard = discards.get(request);
  return discard && untilQuiet(discard);
}

async function untilQuiet({ finished, pieces }: Discard): Promise<boolean> {
  let hasEnded: boolean | undefined;
  const ended = finished.then((isWhole) => {
    hasEnded = isWhole;
  });
  while (hasEnded === undefined && Date.now() - pieces.lastByteAt < QUIET_MS) {
    await Promise.race([ended, Bun.sleep(QUIET_MS)]);
  }
  return hasEnded === true;
}

async function readOn(pieces: Pieces): Promise<boolean> {
  const deadline = Date.now() + DISCARD_MS;
  try {
    for (let size = 0; size < DISCARD_BYTES && Date.now() < deadline; ) {
      const bytes = await pieces.read();
      if (!bytes) return !pieces.isCancelled;
      size += bytes.byteLength;
    }
  } catch {
    // The client has disconnected.
  }
  await pieces.cancel().catch(() => undefined);
  return false;
}
