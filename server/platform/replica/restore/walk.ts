import type { Destination } from '../destination/destination.ts';
import { type CompleteGeneration, pieceKey, type SegmentName } from '../format/names.ts';
import { DamagedError, unseal } from '../format/object.ts';
import { decodeSegment } from '../format/segment.ts';
import { findAt, listGenerations, listSegments, readBaseCopy, readSpan, sumPieces } from '../history.ts';

/** Gets the pages of a database, each as often as it has changed. */
export interface PageSink {
  /** A part of the database file. */
  base(offset: number, content: Buffer): void;
  page(page: number, pageBytes: number, content: Buffer): void;
}

/** What to read for the state at one time. */
export interface RestorePoint {
  generation: CompleteGeneration;
  /** All that come after the full copy, up to the time. */
  segments: SegmentName[];
  at: number;
}

/** Segments that are requested at the same time: a bucket may be far away. */
const AT_ONCE = 16;

/** The newest point, or the last one before a time; undefined if there is none. */
export async function findPoint(
  destination: Destination,
  time: number | undefined,
): Promise<RestorePoint | undefined> {
  const generations = await listGenerations(destination);
  const end = ((await readSpan(destination))?.newestAt ?? 0) + 1;
  const generation = time === undefined ? generations.at(-1) : findAt(generations, time, end);
  if (!generation) return undefined;
  const segments = await listSegments(destination, generation);
  const whole = segments.filter(({ index }) => index >= generation.first);
  const last = time === undefined ? whole.at(-1) : findAt(whole, time);
  if (!last) throw new DamagedError(`${generation.name} has no segments`);
  return { generation, segments: segments.slice(0, segments.indexOf(last) + 1), at: last.at };
}

/** A damaged part of a replica, and the last time before it that is whole. */
export class DamagedPointError extends DamagedError {
  constructor(
    cause: DamagedError,
    readonly lastGoodAt: number | undefined,
  ) {
    super(cause.message, { cause });
  }
}

/**
 * Reads everything up to a point, in order. Each object is checked before it is used, also that none is missing: each
 * names the one before it. Returns the size of the database in bytes.
 */
export async function walk(
  destination: Destination,
  { generation, segments }: RestorePoint,
  sink: PageSink,
): Promise<number> {
  let goodAt: number | undefined;
  try {
    const base = await readBaseCopy(destination, generation);
    await readPieces(destination, generation, base.pieces, sink);
    let [previous, expected, bytes] = [sumPieces(base), 0, 0];
    for await (const { name, content } of fetchInOrder(destination, segments)) {
      if (name.index !== expected++) throw new DamagedError(`a segment before ${name.key} is missing`);
      const { header, sum, pages } = decodeSegment(name.key, content);
      if (header.previous !== previous)
        throw new DamagedError(`${name.key} does not follow the one before it`);
      for (const { page, content } of pages()) sink.page(page, header.pageBytes, content);
      previous = sum;
      bytes = header.pageCount * header.pageBytes;
      if (name.index >= generation.first) goodAt = name.at;
    }
    return bytes;
  } catch (error) {
    if (!(error instanceof DamagedError)) throw error;
    throw new DamagedPointError(error, goodAt ?? (await findGoodBefore(destination, generation)));
  }
}

async function readPieces(
  destination: Destination,
  generation: CompleteGeneration,
  pieces: string[],
  sink: PageSink,
): Promise<void> {
  let offset = 0;
  for (const [index, wanted] of pieces.entries()) {
    const key = pieceKey(generation, index);
    const { content, sum } = unseal(key, await destination.get(key));
    if (sum !== wanted) throw new DamagedError(`${key} belongs to another copy`);
    const piece = Bun.zstdDecompressSync(content);
    sink.base(offset, piece);
    offset += piece.length;
  }
}

async function* fetchInOrder(destination: Destination, segments: SegmentName[]) {
  for (let at = 0; at < segments.length; at += AT_ONCE) {
    const some = segments.slice(at, at + AT_ONCE);
    const contents = await Promise.all(some.map(({ key }) => destination.get(key)));
    for (const [index, name] of some.entries()) yield { name, content: contents[index] };
  }
}

/** The end of the last whole generation before one that is damaged from its start. */
async function findGoodBefore(
  destination: Destination,
  damaged: CompleteGeneration,
): Promise<number | undefined> {
  const before = (await listGenerations(destination)).findLast(({ number }) => number < damaged.number);
  if (!before) return undefined;
  const segments = await listSegments(destination, before);
  const point = { generation: before, segments, at: segments.at(-1)?.at ?? before.at };
  return walk(destination, point, { base: () => undefined, page: () => undefined }).then(
    () => point.at,
    (error: unknown) => {
      if (error instanceof DamagedPointError) return error.lastGoodAt;
      throw error;
    },
  );
}
