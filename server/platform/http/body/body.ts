import { AppError } from '../../../lib/errors.ts';
import { createDeadlines } from '../../../lib/time-limits/deadlines.ts';
import { reserveMemory, shrinkMemory } from './body-memory.ts';
import { discardRest } from './discard.ts';
import { Pieces } from './pieces.ts';

/** The time limit for a whole body, so that a slow sender cannot occupy a connection for ever. */
const BODY_DEADLINE_MS = 50_000;

/**
 * Reads a body. Rejects it as soon as it is known to be too large: by its header, or by the first byte past the limit.
 * Reading a large body waits until memory is available, shared fairly between senders.
 */
export async function readBody(request: Request, limit: number, sender: string): Promise<Uint8Array> {
  assertNotCompressed(request);
  return readRawBody(request, limit, sender);
}

/** Compressed bodies are not unpacked, so their bytes must not be taken for the content. */
export function assertNotCompressed({ headers }: Request): void {
  const encoding = headers.get('content-encoding') ?? 'identity';
  if (encoding.trim().toLowerCase() !== 'identity')
    throw new AppError(
      'UNSUPPORTED_MEDIA_TYPE',
      'Send the body uncompressed, without a Content-Encoding header.',
    );
}

/** The length that a client gave. It may repeat it, which Bun joins with a comma; Bun refuses different ones. */
export function readLength({ headers }: Request): number | undefined {
  const length = headers.get('content-length');
  return length === null ? undefined : Number(length.split(',', 1)[0]);
}

/** Reads a body that is passed on as it was sent, compressed or not. */
export async function readRawBody(request: Request, limit: number, sender: string): Promise<Uint8Array> {
  const length = readLength(request);
  // Do not touch `body` first: that would turn it into a stream.
  if (length !== undefined && length <= Math.min(limit, SMALL_BYTES)) return readWhole(request);
  if (!request.body) return new Uint8Array();
  const isTooLong = (length ?? 0) > limit;
  if (length !== undefined && !isTooLong) await reserveMemory(request, sender, length);
  const pieces = new Pieces(request.body.getReader());
  if (isTooLong) {
    discardRest(request, pieces);
    throw tooLarge(limit);
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  let isReserved = length !== undefined;
  let late = false;
  const begin = () =>
    setTimeout(() => {
      late = true;
      pieces.cancel().catch(() => undefined);
    }, BODY_DEADLINE_MS);
  let deadline = begin();
  try {
    for (;;) {
      const bytes = await pieces.read();
      if (!bytes) break;
      size += bytes.byteLength;
      if (size > limit) throw tooLarge(limit);
      chunks.push(bytes);
      if (isReserved || size <= SMALL_BYTES) continue;
      // The length is unknown, so reserve memory for the largest allowed body.
      clearTimeout(deadline);
      await reserveMemory(request, sender, limit);
      isReserved = true;
      deadline = begin();
    }
    if (late) throw tooSlow();
  } catch (error) {
    if (!(error instanceof AppError)) throw brokenOff(error);
    discardRest(request, pieces);
    throw error;
  } finally {
    clearTimeout(deadline);
  }
  shrinkMemory(request, size);
  return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
}

/** A small body of known length is read in one piece: reading it as a stream costs far more. */
const SMALL_BYTES = 256 * 1024;

const deadlines = createDeadlines(BODY_DEADLINE_MS);

function readWhole(request: Request): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const deadline = deadlines.begin(() => reject(tooSlow()));
    request.arrayBuffer().then(
      (whole) => {
        deadlines.end(deadline);
        resolve(new Uint8Array(whole));
      },
      (error: unknown) => {
        deadlines.end(deadline);
        reject(brokenOff(error));
      },
    );
  });
}

export function tooLarge(limit: number): AppError {
  return new AppError(
    'PAYLOAD_TOO_LARGE',
    'The request body is larger than the {limit} bytes allowed here. Send a smaller one.',
    { limit },
  );
}

export function brokenOff(cause: unknown): AppError {
  return new AppError(
    'BAD_REQUEST',
    'The request body ended before it was complete. Send it again.',
    {},
    {
      cause,
    },
  );
}

function tooSlow(): AppError {
  return new AppError(
    'BAD_REQUEST',
    'The request body took longer than 50 seconds to arrive. Send it again, or send less.',
  );
}
