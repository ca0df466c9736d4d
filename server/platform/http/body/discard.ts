const DISCARD_MS = 5_000;
const DISCARD_BYTES = 128 * 1024 * 1024;
/** A client that has sent nothing for this long is waiting for its response. */
const QUIET_MS = 500;

type Reader = Pick<ReadableStreamDefaultReader<Uint8Array>, 'read' | 'cancel'>;

interface Discard {
  finished: Promise<void>;
  lastByteAt: number;
}

/** Bodies that are being discarded. */
const discards = new WeakMap<Request, Discard>();

/**
 * Keeps reading for a while and discards the bytes. Closing a connection while the client still sends resets it, and
 * the client would never read the response.
 */
export function discardRest(request: Request, reader: Reader): void {
  const discard: Discard = { finished: Promise.resolve(), lastByteAt: Date.now() };
  discard.finished = readOn(reader, () => {
    discard.lastByteAt = Date.now();
  });
  discards.set(request, discard);
}

/**
 * Waits until the client has sent the rest of its body, or has been silent for a while. Do this before closing the
 * connection after a response. Undefined if there is nothing to wait for.
 */
export function drainBody(request: Request): Promise<void> | undefined {
  if (!discards.has(request)) {
    if (request.bodyUsed || !request.body || request.body.locked) return undefined;
    discardRest(request, request.body.getReader());
  }
  const discard = discards.get(request);
  return discard && untilQuiet(discard);
}

async function untilQuiet(discard: Discard): Promise<void> {
  let isFinished = false;
  const finished = discard.finished.then(() => {
    isFinished = true;
  });
  while (!isFinished && Date.now() - discard.lastByteAt < QUIET_MS) {
    await Promise.race([finished, Bun.sleep(QUIET_MS)]);
  }
}

async function readOn(reader: Reader, onBytes: () => void): Promise<void> {
  const deadline = Date.now() + DISCARD_MS;
  try {
    for (let size = 0; size < DISCARD_BYTES && Date.now() < deadline; ) {
      const { done, value } = await reader.read();
      if (done) return;
      size += value.byteLength;
      onBytes();
    }
    await reader.cancel();
  } catch {
    // The client has disconnected.
  }
}
