import { fstatSync, readSync } from 'node:fs';
import {
  FRAME_HEADER_BYTES,
  INDEX_BYTES,
  isSamePosition,
  LOG_HEADER_BYTES,
  type LogIndex,
  type LogPosition,
  parseFrames,
  parseIndex,
  parseLogHeader,
} from '../../../lib/formats/sqlite-log.ts';

/** Reads the log of a database, and its index, from files that its host may be writing. */

/** How many bytes of a log are read at a time. */
const READ_BYTES = 1024 * 1024;

/** Thrown if the log is not what its index says: it was damaged, or has started over just now. */
export class LogError extends Error {}

/** The index of a log that somebody has open; undefined if it changed while it was read. */
export function readIndex(file: number): LogIndex | undefined {
  const bytes = Buffer.alloc(INDEX_BYTES);
  return readSync(file, bytes, 0, bytes.length, 0) < bytes.length ? undefined : parseIndex(bytes);
}

export function readLogHeader(file: number): Buffer {
  const header = Buffer.alloc(LOG_HEADER_BYTES);
  if (readSync(file, header, 0, header.length, 0) < header.length)
    throw new LogError('the log has no header');
  return header;
}

/**
 * The newest frame of each page in the frames after `from`, up to where the index says: the offset of its content in
 * the log. Every checksum on the way must be right.
 */
export function readFrames(file: number, index: LogIndex, from?: LogPosition): Map<number, number> {
  const { pageBytes } = index;
  const frameBytes = FRAME_HEADER_BYTES + pageBytes;
  const pages = new Map<number, number>();
  const start = findStart(file, index);
  let position: LogPosition = from ?? start;
  const perRead = Math.max(1, Math.floor(READ_BYTES / frameBytes));
  const buffer = Buffer.alloc(perRead * frameBytes);
  while (position.frame < index.frame) {
    const end = Math.min(position.frame + perRead, index.frame);
    const bytes = buffer.subarray(0, (end - position.frame) * frameBytes);
    if (readSync(file, bytes, 0, bytes.length, LOG_HEADER_BYTES + position.frame * frameBytes) < bytes.length)
      throw new LogError(`the log ends before frame ${index.frame}`);
    for (const read of parseFrames(bytes, position, pageBytes)) {
      position = read.position;
      pages.set(read.frame.page, LOG_HEADER_BYTES + position.frame * frameBytes - pageBytes);
    }
    if (position.frame < end)
      throw new LogError(`frame ${position.frame + 1} of the log is damaged, or from another time`);
  }
  if (!isSamePosition(position, index)) throw new LogError('the log is not the one that its index describes');
  return pages;
}

/** The position before the first frame. */
function findStart(file: number, index: LogIndex): LogPosition {
  const header = parseLogHeader(readLogHeader(file));
  if (header?.pageBytes !== index.pageBytes) throw new LogError('the header of the log is damaged');
  if (header.salts !== index.salts) throw new LogError('the log has started over');
  return header;
}

/** Whether a log has anything in it. */
export const hasFrames = (file: number) => fstatSync(file).size > LOG_HEADER_BYTES;
