import { z } from 'zod';
import type { Destination } from '../destination/destination.ts';
import { DamagedError, seal, unseal } from './object.ts';
import { parseHeader } from './segment.ts';

/** Files of any size: small ones are one object, large ones an object with a list and one for each piece. */

const PIECE_BYTES = 8 * 1024 ** 2;
const LEVEL = 1;

/** What is said of content that is a segment of a function's database. */
const SegmentFacts = z.object({
  /** The checksum of the segment before, or null for the first of a chain. */
  previous: z.string().nullable(),
  pageBytes: z.int().min(512).max(65_536),
  /** The size of the database, in pages. It can be empty. */
  pageCount: z.int().min(0),
  /** The length and the checksum of the segment itself. */
  bytes: z.int(),
  checksum: z.string(),
});
export type SegmentFacts = z.infer<typeof SegmentFacts>;

const ContentHeader = z.object({
  kind: z.literal('content'),
  bytes: z.int().min(0),
  /** The checksum of each piece; none if the content is in this object. */
  pieces: z.array(z.string()),
  /** Segments are packed already, and stored as they are. */
  segment: SegmentFacts.optional(),
});
export type ContentFacts = Pick<z.infer<typeof ContentHeader>, 'segment'>;

/** No name in a data folder has this character. */
const PIECE_MARK = '~';
const pieceName = (key: string, piece: number) => `${key}${PIECE_MARK}${String(piece).padStart(6, '0')}`;

/** True for the name of a piece of some content, which is not content itself. */
export const isPieceName = (key: string) => key.includes(PIECE_MARK);

/** The name of the content that a piece belongs to. */
const toContentName = (key: string) => key.split(PIECE_MARK)[0] ?? '';

/** Where content comes from. `read` returns fewer bytes only at the end. */
export interface ContentSource {
  bytes: number;
  read(from: number, bytes: number): Promise<Uint8Array>;
}

/** Stores content, and returns the checksum of its object. */
export async function putContent(
  destination: Pick<Destination, 'put'>,
  key: string,
  source: ContentSource,
  facts: ContentFacts = {},
): Promise<string> {
  const { bytes } = source;
  const put = async (name: string, header: object, content: Uint8Array) => {
    const sealed = seal(header, content);
    await destination.put(name, sealed.bytes);
    return sealed.sum;
  };
  const compress = async (from: number) => {
    const wanted = Math.min(PIECE_BYTES, bytes - from);
    const piece = await source.read(from, wanted);
    if (piece.length !== wanted) throw new Error(`${key} has changed while it was read`);
    if (facts.segment) return piece;
    return Bun.zstdCompressSync(piece as Uint8Array<ArrayBuffer>, { level: LEVEL });
  };
  if (bytes <= PIECE_BYTES)
    return put(key, { kind: 'content', bytes, pieces: [], ...facts }, await compress(0));
  const pieces: string[] = [];
  for (let from = 0; from < bytes; from += PIECE_BYTES)
    pieces.push(await put(pieceName(key, pieces.length), { kind: 'piece' }, await compress(from)));
  return put(key, { kind: 'content', bytes, pieces, ...facts }, new Uint8Array());
}

/** Content whose own object was read and checked. */
interface OpenedContent {
  facts: ContentFacts;
  sum: string;
  /** Throws before it gives a piece that is damaged. */
  pieces(): AsyncGenerator<Uint8Array>;
}

export async function openContent(
  destination: Pick<Destination, 'get'>,
  key: string,
): Promise<OpenedContent> {
  const { header: found, content, sum } = unseal(key, await destination.get(key));
  const header = parseHeader(key, ContentHeader, found);
  return { facts: header, sum, pieces: () => readPieces(destination, key, header, content) };
}

/** The content, piece by piece. Throws before it gives a piece that is damaged. */
export async function* readContent(
  destination: Pick<Destination, 'get'>,
  key: string,
): AsyncGenerator<Uint8Array> {
  yield* (await openContent(destination, key)).pieces();
}

async function* readPieces(
  destination: Pick<Destination, 'get'>,
  key: string,
  header: z.infer<typeof ContentHeader>,
  content: Buffer,
): AsyncGenerator<Uint8Array> {
  const unpack = (packed: Buffer) => (header.segment ? packed : Bun.zstdDecompressSync(packed));
  let bytes = 0;
  if (header.pieces.length === 0) {
    const all = unpack(content);
    bytes = all.length;
    yield all;
  }
  for (const [index, wanted] of header.pieces.entries()) {
    const name = pieceName(key, index);
    const piece = unseal(name, await destination.get(name));
    if (piece.sum !== wanted) throw new DamagedError(`${name} belongs to another file`);
    const all = unpack(piece.content);
    bytes += all.length;
    yield all;
  }
  if (bytes !== header.bytes) throw new DamagedError(`${key} has another size than it says`);
}

/** The names of pieces among some names, by the name of their content. */
export function groupPieces(keys: string[]): Map<string, string[]> {
  return Map.groupBy(keys.filter(isPieceName), toContentName);
}

/** Removes content with its pieces. The object with the list goes first, so that nobody finds half of it. */
export async function deleteContent(
  destination: Pick<Destination, 'delete'>,
  key: string,
  pieces: Map<string, string[]>,
): Promise<void> {
  await destination.delete(key);
  for (const each of pieces.get(key) ?? []) await destination.delete(each);
}
