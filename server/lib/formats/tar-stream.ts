import { BLOCK, tarPadding } from './tar-writer.ts';

/** How the entries of an archive are read. */
interface TarRules<Entry> {
  /** Reads a header, and fails if the archive must not have such an entry. */
  parse(header: Buffer): Entry;
  /** The error for a stream that ends within an entry. */
  truncated(): Error;
  /** Sees what follows the last entry. */
  afterEnd?(piece: Uint8Array): void;
}

/**
 * Reads the entries of a tar stream to its end. Nothing is stored as a whole: read the bytes of an entry before you ask for
 * the next one.
 */
export async function* readTarStream<Entry extends { size: number }>(
  stream: AsyncIterable<Uint8Array>,
  { parse, truncated, afterEnd }: TarRules<Entry>,
): AsyncGenerator<{ entry: Entry; bytes: AsyncIterable<Uint8Array> }> {
  const input = createInput(stream, truncated);
  while (true) {
    const block = await input.block();
    if (block.every((byte) => byte === 0)) break;
    const entry = parse(block);
    let isRead = false;
    async function* bytes() {
      yield* input.take(entry.size);
      for await (const _ of input.take(tarPadding(entry.size).length));
      isRead = true;
    }
    yield { entry, bytes: bytes() };
    if (!isRead) throw new Error('an entry of a tar stream was not read to its end');
  }
  for await (const piece of input.rest()) afterEnd?.(piece);
}

/** Reads exact lengths from a stream of pieces of any length. */
function createInput(stream: AsyncIterable<Uint8Array>, truncated: () => Error) {
  const pieces = stream[Symbol.asyncIterator]();
  let left: Uint8Array = new Uint8Array();

  async function more(): Promise<boolean> {
    const { done, value } = await pieces.next();
    if (!done) left = value;
    return !done;
  }
  async function* take(size: number): AsyncGenerator<Uint8Array> {
    for (let missing = size; missing > 0; ) {
      if (left.length === 0 && !(await more())) throw truncated();
      const piece = left.subarray(0, missing);
      left = left.subarray(piece.length);
      missing -= piece.length;
      if (piece.length > 0) yield piece;
    }
  }
  return {
    take,
    async block(): Promise<Buffer> {
      const block = Buffer.alloc(BLOCK);
      let at = 0;
      for await (const piece of take(BLOCK)) {
        block.set(piece, at);
        at += piece.length;
      }
      return block;
    },
    async *rest(): AsyncGenerator<Uint8Array> {
      do yield left;
      while (await more());
    },
  };
}
