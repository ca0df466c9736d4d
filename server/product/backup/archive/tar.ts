import { BLOCK, checksum, tarPadding } from '../../../lib/formats/tar-writer.ts';
import { ArchiveError } from './archive-error.ts';

/** Reads the archives of backups, which have plain files only. They are streamed and never stored as a whole. */

/** A file in an archive that is being read. Read its bytes before you ask for the next one. */
export interface TarFile {
  name: string;
  size: number;
  bytes: AsyncIterable<Uint8Array>;
}

/** Reads the files of a tar stream to its end. Anything but a plain file is refused. */
export async function* readTar(stream: AsyncIterable<Uint8Array>): AsyncGenerator<TarFile> {
  const input = createInput(stream);
  while (true) {
    const block = await input.block();
    if (block.every((byte) => byte === 0)) break;
    const file = parseHeader(block);
    let isRead = false;
    async function* bytes() {
      yield* input.take(file.size);
      for await (const _ of input.take(tarPadding(file.size).length));
      isRead = true;
    }
    yield { ...file, bytes: bytes() };
    if (!isRead) throw new Error(`${file.name} was not read to its end`);
  }
  for await (const rest of input.rest()) {
    if (rest.some((byte) => byte !== 0))
      throw new ArchiveError('There is data after the end of the archive.');
  }
}

function parseHeader(block: Buffer): { name: string; size: number } {
  const isTar = block.toString('latin1', 257, 262) === 'ustar';
  if (!isTar || Number.parseInt(block.toString('latin1', 148, 156), 8) !== checksum(block))
    throw new ArchiveError('This is not a Quire archive, or it is damaged.');
  const name = block.toString('utf8', 0, 100).replace(/\0.*$/s, '');
  const type = String.fromCharCode(block[156] ?? 0);
  if (type !== '0' || block[345] !== 0)
    throw new ArchiveError(`${JSON.stringify(name)} in the archive is not a plain file.`);
  const isBinary = block[124] === 0x80;
  const size = isBinary
    ? Number(block.readBigUInt64BE(128))
    : Number.parseInt(block.toString('latin1', 124, 136), 8);
  if (!Number.isSafeInteger(size) || size < 0)
    throw new ArchiveError(`${JSON.stringify(name)} in the archive has no size that makes sense.`);
  return { name, size };
}

/** Reads exact lengths from a stream of pieces of any length. */
function createInput(stream: AsyncIterable<Uint8Array>) {
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

function truncated(): ArchiveError {
  return new ArchiveError('The archive is incomplete: its end was not written.');
}
