import { AppError } from '../../../lib/errors.ts';

/** How many chunks are looked at before others get a turn, and how many bytes they must have together. */
const SAMPLE_CHUNKS = 128;
const SAMPLE_BYTES = 8 * SAMPLE_CHUNKS;
/** Fewer chunks say nothing: they can be many that were joined. */
const TELLING_CHUNKS = 3;
/** How many bytes can come after chunks that are too small. */
const MAX_SMALL_BYTES = 128 * 1024;
/** What comes together with small chunks can be a large one, so it counts only in part. */
const MAX_COUNTED_BYTES = 16 * 1024;

/**
 * Reads a body whose sender decides how small its chunks are. While a read waits, Bun passes on every chunk on its own,
 * before anything else gets a turn, which takes ten times as long as parsing it. If no read waits, Bun joins what
 * arrives. So this takes what has been joined, then a few chunks on their own, to know their size, and then lets
 * others work while Bun joins the rest.
 */
export class Pieces {
  lastByteAt = Date.now();
  #hasBegun = false;
  #isSmall = false;
  #smallBytes = 0;

  constructor(private readonly reader: Pick<ReadableStreamDefaultReader<Uint8Array>, 'read' | 'cancel'>) {}

  /** The next bytes, or undefined at the end. Throws if the sender has sent too many small chunks. */
  async read(): Promise<Uint8Array | undefined> {
    if (this.#hasBegun) await new Promise<void>((resolve) => setImmediate(resolve));
    this.#hasBegun = true;
    const joined = await this.#next();
    if (!joined) return undefined;
    const all = [joined];
    let sampled = 0;
    while (all.length <= SAMPLE_CHUNKS && sampled < SAMPLE_BYTES) {
      const chunk = await this.#next();
      if (!chunk) break;
      all.push(chunk);
      sampled += chunk.byteLength;
    }
    this.#judge(all.length - 1, sampled, joined.byteLength);
    return all.length > 1 ? Buffer.concat(all) : joined;
  }

  cancel(): Promise<void> {
    return this.reader.cancel();
  }

  async #next(): Promise<Uint8Array | undefined> {
    const { value } = await this.reader.read();
    this.lastByteAt = Date.now();
    return value;
  }

  #judge(chunks: number, sampled: number, joined: number): void {
    if (chunks >= TELLING_CHUNKS) {
      this.#isSmall = sampled < SAMPLE_BYTES;
      if (!this.#isSmall) this.#smallBytes = 0;
    }
    if (this.#isSmall) this.#smallBytes += Math.min(joined + sampled, MAX_COUNTED_BYTES);
    if (this.#smallBytes > MAX_SMALL_BYTES) throw tooManyChunks();
  }
}

function tooManyChunks(): AppError {
  return new AppError(
    'BAD_REQUEST',
    'The request body has too many chunks of only a few bytes. Send it in larger chunks, or with a Content-Length.',
  );
}
