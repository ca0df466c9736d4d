/**
 * A segment: pages of a database, packed. It is a list of blocks, each with the number of its pages and its length, and
 * then, compressed, the numbers of the pages and their content. A block without pages is the last one.
 */

const BLOCK_HEADER_BYTES = 8;
const BLOCK_BYTES = 1024 * 1024;
const MAX_BLOCK_BYTES = 2 * BLOCK_BYTES;
/** Compresses pages to about a third, and faster than a disk takes them. */
const LEVEL = 3;

/** Thrown if a segment is not what was written. */
export class SegmentError extends Error {}

/** Packs pages into a segment. */
export class SegmentWriter {
  private readonly pages: Buffer;
  private numbers: number[] = [];
  private readonly hash = new Bun.CryptoHasher('sha256');
  bytes = 0;

  constructor(
    private readonly pageBytes: number,
    private readonly write: (bytes: Uint8Array) => void,
  ) {
    this.pages = Buffer.alloc(Math.max(1, Math.floor(BLOCK_BYTES / pageBytes)) * pageBytes);
  }

  add(page: number, content: Uint8Array): void {
    this.pages.set(content, this.numbers.length * this.pageBytes);
    this.numbers.push(page);
    if (this.numbers.length * this.pageBytes === this.pages.length) this.flush();
  }

  /** Writes the rest, and returns the checksum of the segment. */
  end(): string {
    this.flush();
    this.put(new Uint8Array(BLOCK_HEADER_BYTES));
    return this.hash.digest('hex');
  }

  private flush(): void {
    const count = this.numbers.length;
    if (count === 0) return;
    const numbers = Buffer.alloc(4 * count);
    for (const [index, page] of this.numbers.entries()) numbers.writeUInt32LE(page, 4 * index);
    const block = Bun.zstdCompressSync(
      Buffer.concat([numbers, this.pages.subarray(0, count * this.pageBytes)]),
      { level: LEVEL },
    );
    const header = Buffer.alloc(BLOCK_HEADER_BYTES);
    header.writeUInt32LE(count, 0);
    header.writeUInt32LE(block.length, 4);
    this.put(header);
    this.put(block);
    this.numbers = [];
  }

  private put(bytes: Uint8Array): void {
    this.hash.update(bytes);
    this.bytes += bytes.length;
    this.write(bytes);
  }
}

/** What is known of a segment before it is read. */
export interface SegmentOrder {
  bytes: number;
  checksum: string;
}

/** Reads a segment from the pieces of a stream, and calls `see` with each page. Throws if a single bit is wrong. */
export async function readSegment(
  source: ByteSource,
  { bytes, checksum }: SegmentOrder,
  pageBytes: number,
  see: (page: number, content: Buffer) => void,
): Promise<void> {
  const hash = new Bun.CryptoHasher('sha256');
  let left = bytes;
  const take = async (count: number) => {
    if (count > left) throw new SegmentError('a segment is shorter than it says');
    left -= count;
    const taken = await source.take(count);
    hash.update(taken);
    return taken;
  };
  for (;;) {
    const header = await take(BLOCK_HEADER_BYTES);
    const [count, length] = [header.readUInt32LE(0), header.readUInt32LE(4)];
    if (count === 0) break;
    const rawBytes = count * (4 + pageBytes);
    if (rawBytes > MAX_BLOCK_BYTES + pageBytes || length > 2 * MAX_BLOCK_BYTES)
      throw new SegmentError('a segment has a block that is too large');
    const raw = unpack(await take(length));
    if (raw.length !== rawBytes) throw new SegmentError('a segment has a block of another size than it says');
    for (let index = 0; index < count; index++) {
      const start = 4 * count + index * pageBytes;
      see(raw.readUInt32LE(4 * index), raw.subarray(start, start + pageBytes));
    }
  }
  if (left > 0 || hash.digest('hex') !== checksum) throw new SegmentError('a segment is damaged');
}

function unpack(block: Buffer): Buffer {
  try {
    return Bun.zstdDecompressSync(block);
  } catch (error) {
    throw new SegmentError('a segment has a block that cannot be unpacked', { cause: error });
  }
}

/** The bytes of a stream, as many at a time as somebody wants. */
export class ByteSource {
  private readonly pieces: AsyncIterator<Uint8Array>;
  private waiting: Buffer = Buffer.alloc(0);

  constructor(stream: AsyncIterable<Uint8Array>) {
    this.pieces = stream[Symbol.asyncIterator]();
  }

  async take(count: number): Promise<Buffer> {
    const parts = [this.waiting];
    let have = this.waiting.length;
    while (have < count) {
      const { done, value } = await this.pieces.next();
      if (done) throw new SegmentError('a segment is incomplete');
      parts.push(Buffer.from(value.buffer, value.byteOffset, value.byteLength));
      have += value.byteLength;
    }
    const all = parts.length === 1 ? this.waiting : Buffer.concat(parts);
    this.waiting = all.subarray(count);
    return all.subarray(0, count);
  }
}
