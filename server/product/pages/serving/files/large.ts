import type { PageFiles } from '../../files/page-files.ts';
import type { Range } from './ranges.ts';

/** Bytes that are read from a bucket at a time. */
const PIECE_BYTES = 1024 * 1024;

/**
 * A part of a file, to send. From a disk, the system sends it without reading it into memory. From a bucket, each piece
 * is requested when the client has taken the one before, so that a slow client takes no more memory than two pieces.
 */
export async function openLarge(
  files: Pick<PageFiles, 'open'>,
  hash: string,
  range: Range,
): Promise<Blob | ReadableStream<Uint8Array> | undefined> {
  const open = (start: number) => files.open(hash, { start, end: Math.min(start + PIECE_BYTES, range.end) });
  const first = await open(range.start);
  if (first === undefined) return undefined;
  const isWhole = range.end - range.start <= PIECE_BYTES;
  if (first instanceof Blob) return isWhole ? first : files.open(hash, range);
  return pieces(first, range, open);
}

function pieces(
  first: ReadableStream<Uint8Array>,
  range: Range,
  open: (start: number) => Promise<Blob | ReadableStream<Uint8Array> | undefined>,
): ReadableStream<Uint8Array> {
  let at = range.start;
  let next: Blob | ReadableStream<Uint8Array> | undefined = first;
  return new ReadableStream({
    async pull(controller) {
      const piece = next ?? (await open(at));
      next = undefined;
      const bytes = piece && (await new Response(piece).bytes());
      // The status is already sent: only ending the response early shows that something is missing.
      if (!bytes?.length) throw new Error('a file ended before its end');
      at += bytes.length;
      controller.enqueue(bytes);
      if (at >= range.end) controller.close();
    },
    async cancel() {
      if (next instanceof ReadableStream) await next.cancel();
    },
  });
}
