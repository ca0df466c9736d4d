import { z } from 'zod';
import type { Changes } from '../log/followed-log.ts';
import { DamagedError, seal, unseal } from './object.ts';

/** A segment: the pages that were changed since the segment before it. */
const SegmentHeader = z.object({
  kind: z.literal('segment'),
  at: z.int(),
  /** The checksum of the segment before, or of the generation. */
  previous: z.string(),
  position: z.object({ salts: z.string(), frame: z.int(), checksum: z.tuple([z.int(), z.int()]) }),
  pageBytes: z.int().min(512).max(65_536),
  /** The size of the database, in pages. */
  pageCount: z.int().min(1),
  /** How many pages follow: all their numbers, then all their contents. */
  pages: z.int(),
});
export type SegmentHeader = z.infer<typeof SegmentHeader>;

/** Faster than it is small: it runs every second. */
const LEVEL = 1;

export function encodeSegment(
  changes: Changes,
  at: number,
  previous: string,
): { bytes: Buffer; sum: string } {
  const { pages, pageBytes, pageCount, position } = changes;
  const kept = [...pages.keys()].filter((page) => page <= pageCount).sort((a, b) => a - b);
  const content = Buffer.allocUnsafe(kept.length * (4 + pageBytes));
  for (const [index, page] of kept.entries()) {
    content.writeUInt32LE(page, 4 * index);
    pages.get(page)?.copy(content, 4 * kept.length + index * pageBytes);
  }
  const header: SegmentHeader = {
    ...{ kind: 'segment', at, previous, position, pageBytes, pageCount },
    pages: kept.length,
  };
  return seal(header, Bun.zstdCompressSync(content, { level: LEVEL }));
}

export interface Segment {
  header: SegmentHeader;
  sum: string;
  pages(): Generator<{ page: number; content: Buffer }>;
}

export function decodeSegment(key: string, bytes: Uint8Array | undefined): Segment {
  const { header: found, content, sum } = unseal(key, bytes);
  const header = parseHeader(key, SegmentHeader, found);
  return {
    header,
    sum,
    *pages() {
      const all = Bun.zstdDecompressSync(content);
      const { pages, pageBytes } = header;
      if (all.length !== pages * (4 + pageBytes))
        throw new DamagedError(`${key} has another size than it says`);
      for (let index = 0; index < pages; index++) {
        const start = 4 * pages + index * pageBytes;
        yield { page: all.readUInt32LE(4 * index), content: all.subarray(start, start + pageBytes) };
      }
    },
  };
}

/** The header of an object, which may come from a later version of Quire. */
export function parseHeader<Header>(key: string, schema: z.ZodType<Header>, found: unknown): Header {
  const parsed = schema.safeParse(found);
  if (!parsed.success) throw new DamagedError(`${key} is not what its name says`);
  return parsed.data;
}
