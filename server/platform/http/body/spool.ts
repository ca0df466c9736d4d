import { open } from 'node:fs/promises';
import { AppError } from '../../../lib/errors.ts';
import { assertNotCompressed, brokenOff, readLength, tooLarge } from './body.ts';
import { discardRest } from './discard.ts';
import { Pieces } from './pieces.ts';

const BEGIN_MS = 50_000;
/** The slowest connection that can still send a large body in time. */
const SLOWEST_BYTES_PER_MS = 256;

/**
 * Writes a body to a new file, a chunk at a time, so that its size does not matter. Returns its size. The time limit
 * grows with what has arrived: a sender must keep up a minimum speed.
 */
export async function spoolBody(request: Request, path: string, limit: number): Promise<number> {
  assertNotCompressed(request);
  const pieces = request.body && new Pieces(request.body.getReader());
  if ((readLength(request) ?? 0) > limit) {
    if (pieces) discardRest(request, pieces);
    throw tooLarge(limit);
  }
  const file = await open(path, 'wx', 0o600);
  const startedAt = performance.now();
  let size = 0;
  let isLate = false;
  const watch = setInterval(() => {
    isLate = performance.now() - startedAt > BEGIN_MS + size / SLOWEST_BYTES_PER_MS;
    if (isLate) pieces?.cancel().catch(() => undefined);
  }, 1_000);
  try {
    while (pieces) {
      const bytes = await pieces.read().catch((error: unknown) => {
        throw error instanceof AppError ? error : brokenOff(error);
      });
      if (isLate) throw new AppError('BAD_REQUEST', 'The request body arrived too slowly. Send it again.');
      if (!bytes) break;
      size += bytes.byteLength;
      if (size > limit) throw tooLarge(limit);
      await writeAll(file, bytes);
    }
    return size;
  } catch (error) {
    if (pieces) discardRest(request, pieces);
    throw error;
  } finally {
    clearInterval(watch);
    await file.close();
  }
}

async function writeAll(file: Awaited<ReturnType<typeof open>>, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.byteLength; )
    at += (await file.write(bytes, at, bytes.byteLength - at)).bytesWritten;
}
