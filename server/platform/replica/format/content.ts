import { z } from 'zod';
import type { Destination } from '../destination/destination.ts';
import { DamagedError, seal, unseal } from './object.ts';
import { parseHeader } from './segment.ts';

/** Files of any size: small ones are one object, large ones an object with a list and one for each piece. */

const PIECE_BYTES = 8 * 1024 ** 2;
const LEVEL = 1;

const ContentHeader = z.object({
  kind: z.literal('content'),
  bytes: z.int().min(0),
  /** The checksum of each piece; none if the content is in this object. */
  pieces: z.array(z.string()),
  /** Whether a database has a log, which is content of its own. */
  hasLog: z.boolean().optional(),
});
export type ContentFacts = Pick<z.infer<typeof ContentHeader>, 'hasLog'>;

/** No name in a data folder has this character. */
const PIECE_MARK = '~';
const pieceName = (key: string, piece: number) => `${key}${PIECE_MARK}${String(piece).padStart(6, '0')}`;

/** True for the name of a piece of some content, which is not content itself. */
export const isPieceName = (key: string) => key.includes(PIECE_MARK);

/** Where content comes from. `read` returns fewer bytes only at the end. */
export interface ContentSource {
  bytes: number;
  read(from: number, bytes: number): Promise<Uint8Array>;
}

export async function putContent(
  destination: Pick<Destination, 'put'>,
  key: string,
  source: ContentSource,
  facts: ContentFacts = {},
): Promise<number> {
  const { bytes } = source;
  let stored = 0;
  const put = async (name: string, header: object, content: Uint8Array) => {
    const sealed = seal(header, content);
    await destination.put(name, sealed.bytes);
    stored += sealed.bytes.length;
    return sealed.sum;
  };
  const compress = async (from: number) => {
    const wanted = Math.min(PIECE_BYTES, bytes - from);
    const piece = await source.read(from, wanted);
    if (piece.length !== wanted) throw new Error(`${key} has changed while it was read`);
    return Bun.zstdCompressSync(piece as Uint8Array<ArrayBuffer>, { level: LEVEL });
  };
  if (bytes <= PIECE_BYTES) {
    await put(key, { kind: 'content', bytes, pieces: [], ...facts }, await compress(0));
    return stored;
  }
  const pieces: string[] = [];
  for (let from = 0; from < bytes; from += PIECE_BYTES)
    pieces.push(await put(pieceName(key, pieces.length), { kind: 'piece' }, await compress(from)));
  await put(key, { kind: 'content', bytes, pieces, ...facts }, new Uint8Array());
  return stored;
}

/** The content, piece by piece. Throws before it gives a piece that is damaged. */
export async function* readContent(
  destination: Pick<Destination, 'get'>,
  key: string,
): AsyncGenerator<Uint8Array> {
  const { header: found, content } = unseal(key, await destination.get(key));
  const header = parseHeader(key, ContentHeader, found);
  let bytes = 0;
  if (header.pieces.length === 0) {
    const all = Bun.zstdDecompressSync(content);
    bytes = all.length;
    yield all;
  }
  for (const [index, wanted] of header.pieces.entries()) {
    const name = pieceName(key, index);
    const piece = unseal(name, await destination.get(name));
    if (piece.sum !== wanted) throw new DamagedError(`${name} belongs to another file`);
    const all = Bun.zstdDecompressSync(piece.content);
    bytes += all.length;
    yield all;
  }
  if (bytes !== header.bytes) throw new DamagedError(`${key} has another size than it says`);
}

/** What the content says about itself. */
export async function readFacts(destination: Pick<Destination, 'get'>, key: string): Promise<ContentFacts> {
  return parseHeader(key, ContentHeader, unseal(key, await destination.get(key)).header);
}

/** Removes content with its pieces. The object with the list goes first, so that nobody finds half of it. */
export async function deleteContent(
  destination: Pick<Destination, 'delete'>,
  key: string,
  allKeys: Iterable<string>,
): Promise<void> {
  await destination.delete(key);
  for (const each of allKeys) if (each.startsWith(key + PIECE_MARK)) await destination.delete(each);
}
