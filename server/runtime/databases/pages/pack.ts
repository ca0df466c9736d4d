import { writeSync } from 'node:fs';
import { SegmentWriter } from '../../../lib/formats/page-segment.ts';
import type { DatabasePages } from './database-pages.ts';
import { HASHES_FD, OUTPUT_FD, type Report } from './tasks.ts';

const READ_BYTES = 1024 * 1024;

/** Writes a segment and the hashes of all pages. Without earlier hashes, all pages are packed. */
export function packPages(source: DatabasePages, before: BigUint64Array | undefined): Report {
  const { pageBytes, pageCount, changed } = source;
  let written = 0;
  const writer = new SegmentWriter(pageBytes, (bytes) => {
    writeAll(OUTPUT_FD, bytes, written);
    written += bytes.length;
  });
  const hashes = new BigUint64Array(pageCount);
  if (before) hashes.set(before.subarray(0, pageCount));
  let pages = 0;
  const see = (page: number, content: Uint8Array) => {
    const hash = Bun.hash.xxHash64(content);
    if (before && page <= before.length && before[page - 1] === hash) return;
    hashes[page - 1] = hash;
    writer.add(page, content);
    pages++;
  };
  if (before && changed) {
    const content = Buffer.alloc(pageBytes);
    for (const page of changed) {
      source.read(page, content);
      see(page, content);
    }
  } else {
    eachPiece(source, (first, piece) => {
      for (let at = 0; at < piece.length; at += pageBytes)
        see(first + at / pageBytes, piece.subarray(at, at + pageBytes));
    });
  }
  const checksum = writer.end();
  writeAll(HASHES_FD, new Uint8Array(hashes.buffer), 0);
  return { ...toReport(source), pages, isFull: before === undefined, bytes: writer.bytes, checksum };
}

/** Calls `see` with the pages in order, many at a time. */
export function eachPiece(source: DatabasePages, see: (first: number, piece: Buffer) => void): void {
  const { pageBytes, pageCount } = source;
  const perRead = Math.max(1, Math.floor(READ_BYTES / pageBytes));
  const buffer = Buffer.alloc(perRead * pageBytes);
  for (let first = 1; first <= pageCount; first += perRead) {
    const count = Math.min(perRead, pageCount - first + 1);
    const piece = buffer.subarray(0, count * pageBytes);
    source.read(first, piece);
    see(first, piece);
  }
}

export function writeAll(file: number, bytes: Uint8Array, position: number): void {
  for (let done = 0; done < bytes.length; )
    done += writeSync(file, bytes, done, bytes.length - done, position + done);
}

export function toReport({ pageBytes, pageCount, at, position }: DatabasePages): Report {
  return { pageBytes, pageCount, at, position };
}
