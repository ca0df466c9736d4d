import { createHash } from 'node:crypto';
import { TAR_END, tarHeader, tarPadding } from '../../../lib/formats/tar-writer.ts';
import { numbered } from './names.ts';

/** A file to be added to the archive. */
export interface ArchiveEntry {
  name: string;
  size: number;
  bytes: Iterable<Uint8Array> | AsyncIterable<Uint8Array>;
}

/** Files between two files of checksums, so that only a few checksums are kept in memory. */
const SUMS_AFTER = 1000;
/** Bytes of a piece: few enough that other requests get their turn between two pieces. */
const PIECE_BYTES = 128 * 1024;

/** A file with all its bytes in memory. */
export function entry(name: string, content: Uint8Array | string): ArchiveEntry {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  return { name, size: bytes.length, bytes: pieces(bytes) };
}

function* pieces(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) yield bytes.subarray(at, at + PIECE_BYTES);
}

/**
 * Makes a tar of files, with their checksums as `sha256sum` writes them: files in `sums/` have those of the files
 * before them, and the last file has those of `sums/`. An archive without that file is incomplete.
 */
export async function* pack(
  entries: AsyncIterable<ArchiveEntry>,
  modifiedAt: number,
): AsyncGenerator<Uint8Array> {
  const all: string[] = [];
  let recent: string[] = [];

  async function* put({ name, size, bytes }: ArchiveEntry, lines: string[]): AsyncGenerator<Uint8Array> {
    yield tarHeader({ name, size, modifiedAt });
    const hash = createHash('sha256');
    let written = 0;
    for await (const piece of bytes) {
      hash.update(piece);
      written += piece.length;
      yield piece;
    }
    if (written !== size) throw new Error(`${name} changed while it was archived`);
    if (size % 512 !== 0) yield tarPadding(size);
    lines.push(sumLine(hash.digest('hex'), name));
  }
  async function* putSums(): AsyncGenerator<Uint8Array> {
    const text = recent.join('');
    recent = [];
    yield* put(entry(`sums/${numbered(all.length + 1)}`, text), all);
  }

  for await (const each of entries) {
    yield* put(each, recent);
    if (recent.length >= SUMS_AFTER) yield* putSums();
  }
  if (recent.length > 0) yield* putSums();
  yield* put(entry('SHA256SUMS', all.join('')), []);
  yield TAR_END;
}

/** A line of `sha256sum`. */
export function sumLine(sum: string, name: string): string {
  return `${sum}  ${name}\n`;
}
