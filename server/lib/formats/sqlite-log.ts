/**
 * Reads the write-ahead log of a SQLite database (https://sqlite.org/fileformat2.html#the_write_ahead_log), and the start of
 * its index, which says how far the log is committed (https://sqlite.org/walformat.html).
 */

export const LOG_HEADER_BYTES = 32;
export const FRAME_HEADER_BYTES = 24;
/** Two copies of the index header, and how many frames are already in the database file. */
export const INDEX_BYTES = 100;

const INDEX_VERSION = 3_007_000;
const INDEX_HEADER_BYTES = 48;
/** The checksum of an index header follows these bytes. */
const INDEX_SUMMED_BYTES = 40;
/** The log of a machine whose numbers have their lowest byte first, which are all that Quire runs on. */
const LITTLE_ENDIAN_LOG = 0x377f0682;

/** Where a reader of the log is: after a frame, whose checksum depends on all frames before it. */
export interface LogPosition {
  /** Identifies the log: another one begins when it is started over. */
  salts: string;
  frame: number;
  checksum: Checksum;
}

type Checksum = [number, number];

/** What the index of the log says about the last transaction. */
export interface LogIndex extends LogPosition {
  pageBytes: number;
  /** The size of the database, in pages. */
  pageCount: number;
  /** Frames whose pages are in the database file. */
  backfilled: number;
}

/** Reads the index; undefined while somebody is writing it. */
export function parseIndex(bytes: Buffer): LogIndex | undefined {
  const [one, two] = [
    bytes.subarray(0, INDEX_HEADER_BYTES),
    bytes.subarray(INDEX_HEADER_BYTES, 2 * INDEX_HEADER_BYTES),
  ];
  if (bytes.length < INDEX_BYTES || !one.equals(two)) return undefined;
  if (one.readUInt32LE(0) !== INDEX_VERSION || one[12] !== 1) return undefined;
  const words = toWords(one.subarray(0, INDEX_SUMMED_BYTES));
  const [first, second] = addChecksum([0, 0], words, 0, words.length);
  if (first !== one.readUInt32LE(INDEX_SUMMED_BYTES) || second !== one.readUInt32LE(INDEX_SUMMED_BYTES + 4))
    return undefined;
  const size = one.readUInt16LE(14);
  return {
    pageBytes: size === 1 ? 65_536 : size,
    frame: one.readUInt32LE(16),
    pageCount: one.readUInt32LE(20),
    checksum: [one.readUInt32LE(24), one.readUInt32LE(28)],
    salts: one.toString('hex', 32, 40),
    backfilled: bytes.readUInt32LE(2 * INDEX_HEADER_BYTES),
  };
}

/** The position before the first frame of a log; undefined if this is not a log, or a damaged one. */
export function parseLogHeader(bytes: Buffer): (LogPosition & { pageBytes: number }) | undefined {
  if (bytes.length < LOG_HEADER_BYTES || bytes.readUInt32BE(0) !== LITTLE_ENDIAN_LOG) return undefined;
  const words = toWords(bytes.subarray(0, 24));
  const checksum = addChecksum([0, 0], words, 0, words.length);
  if (checksum[0] !== bytes.readUInt32BE(24) || checksum[1] !== bytes.readUInt32BE(28)) return undefined;
  return { salts: bytes.toString('hex', 16, 24), frame: 0, checksum, pageBytes: bytes.readUInt32BE(8) };
}

function toWords(bytes: Buffer): Int32Array {
  return new Int32Array(new Uint8Array(bytes).buffer);
}

/** The checksum of what came before and of some words, whose number is even. */
function addChecksum([first, second]: Checksum, words: Int32Array, from: number, to: number): Checksum {
  let [one, two] = [first, second];
  for (let at = from; at < to; at += 2) {
    one = (one + (words[at] ?? 0) + two) | 0;
    two = (two + (words[at + 1] ?? 0) + one) | 0;
  }
  return [one >>> 0, two >>> 0];
}

/** A page in the log, as a transaction has left it. */
export interface Frame {
  page: number;
  /** The size of the database after this transaction, in pages; 0 if the transaction goes on. */
  pagesAfter: number;
  content: Buffer;
}

/**
 * Reads whole frames that follow the position `after`. `bytes` begins with the first of them. Each comes with the
 * position behind it. Stops at a frame that does not belong to the log, or whose checksum is wrong. The bytes must begin
 * at a multiple of four in their memory, because they are read as words.
 */
export function* parseFrames(
  bytes: Buffer<ArrayBuffer>,
  after: LogPosition,
  pageBytes: number,
): Generator<{ frame: Frame; position: LogPosition }> {
  const frameBytes = FRAME_HEADER_BYTES + pageBytes;
  const words = new Int32Array(bytes.buffer, bytes.byteOffset, Math.floor(bytes.length / 4));
  let { frame, checksum } = after;
  for (let at = 0; at + frameBytes <= bytes.length; at += frameBytes) {
    if (bytes.toString('hex', at + 8, at + 16) !== after.salts) return;
    const word = at / 4;
    checksum = addChecksum(checksum, words, word, word + 2);
    checksum = addChecksum(checksum, words, word + FRAME_HEADER_BYTES / 4, word + frameBytes / 4);
    if (checksum[0] !== bytes.readUInt32BE(at + 16) || checksum[1] !== bytes.readUInt32BE(at + 20)) return;
    frame++;
    yield {
      frame: {
        page: bytes.readUInt32BE(at),
        pagesAfter: bytes.readUInt32BE(at + 4),
        content: bytes.subarray(at + FRAME_HEADER_BYTES, at + frameBytes),
      },
      position: { salts: after.salts, frame, checksum },
    };
  }
}

export function isSamePosition(one: LogPosition, other: LogPosition): boolean {
  return (
    one.salts === other.salts &&
    one.frame === other.frame &&
    one.checksum[0] === other.checksum[0] &&
    one.checksum[1] === other.checksum[1]
  );
}
