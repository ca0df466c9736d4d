import { readTarStream } from '../../../lib/formats/tar-stream.ts';
import { checksum } from '../../../lib/formats/tar-writer.ts';
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
  const entries = readTarStream(stream, {
    parse: parseHeader,
    truncated,
    afterEnd(piece) {
      if (piece.some((byte) => byte !== 0))
        throw new ArchiveError('There is data after the end of the archive.');
    },
  });
  for await (const { entry, bytes } of entries) yield { ...entry, bytes };
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

function truncated(): ArchiveError {
  return new ArchiveError('The archive is incomplete: its end was not written.');
}
