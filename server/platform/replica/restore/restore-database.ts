import { closeSync, fsyncSync, ftruncateSync, openSync, rmSync, writeSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ByteSource, readSegment, SegmentError } from '../../../lib/formats/page-segment.ts';
import type { Destination } from '../destination/destination.ts';
import { openContent, type SegmentFacts } from '../format/content.ts';
import type { DatabaseSegmentName } from '../format/names.ts';
import { DamagedError } from '../format/object.ts';
import { findAt } from '../history.ts';

/** Segments that are requested at the same time: a bucket may be far away. */
const AT_ONCE = 16;

/** Gets the pages of a database, each as often as it has changed. */
interface DatabaseSink {
  page(page: number, pageBytes: number, content: Buffer): void;
  /** The end of a segment: the size of the database in bytes. */
  end(bytes: number): void;
}

/** A damaged or missing segment of a chain, and how many before it are whole. */
export class DamagedChainError extends DamagedError {
  constructor(
    cause: DamagedError,
    readonly whole: number,
  ) {
    super(cause.message, { cause });
  }
}

/**
 * Writes the last whole state of a database before a time. It is `isOlder` if a later one is damaged. Undefined if there
 * is none. A database that was empty then has no file.
 */
export async function restoreDatabase(
  destination: Destination,
  segments: DatabaseSegmentName[],
  time: number,
  to: string,
): Promise<{ at: number; isOlder: boolean } | undefined> {
  let last = findAt(segments, time);
  let isOlder = false;
  while (last) {
    const { chain } = last;
    const all = segments.slice(0, segments.indexOf(last) + 1);
    const ofChain = all.filter((each) => each.chain === chain);
    try {
      await rebuildDatabase(destination, ofChain, to);
      return { at: last.at, isOlder };
    } catch (error) {
      rmSync(to, { force: true });
      if (!(error instanceof DamagedChainError)) throw error;
      isOlder = true;
      last = all[all.length - ofChain.length + error.whole - 1];
    }
  }
  return undefined;
}

async function rebuildDatabase(
  destination: Destination,
  chain: DatabaseSegmentName[],
  to: string,
): Promise<void> {
  await mkdir(dirname(to), { recursive: true, mode: 0o700 });
  const file = openSync(to, 'w', 0o600);
  let isEmpty = true;
  try {
    await walkChain(destination, chain, {
      page: (page, pageBytes, content) => writeAll(file, content, (page - 1) * pageBytes),
      end(bytes) {
        // What the database has lost must not come back if it grows again.
        ftruncateSync(file, bytes);
        isEmpty = bytes === 0;
      },
    });
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  if (isEmpty) rmSync(to);
}

/** Reads segments of a chain from its first one on. Each is checked, also that none is missing between them. */
export async function walkChain(
  destination: Destination,
  chain: DatabaseSegmentName[],
  sink: DatabaseSink,
): Promise<void> {
  let previous: string | null = null;
  let whole = 0;
  try {
    for await (const { name, content } of openInOrder(destination, chain)) {
      if (name.index !== whole) throw new DamagedError(`a segment before ${name.key} is missing`);
      const { facts, sum, pieces } = await content;
      const { segment } = facts;
      if (segment?.previous !== previous)
        throw new DamagedError(`${name.key} does not follow the one before it`);
      await readPages(name.key, segment, pieces(), sink);
      previous = sum;
      whole++;
    }
  } catch (error) {
    throw error instanceof DamagedError ? new DamagedChainError(error, whole) : error;
  }
}

async function* openInOrder(destination: Destination, chain: DatabaseSegmentName[]) {
  for (let at = 0; at < chain.length; at += AT_ONCE) {
    const some = chain.slice(at, at + AT_ONCE).map((name) => {
      const content = openContent(destination, name.key);
      // It counts once those before it were read.
      content.catch(() => undefined);
      return { name, content };
    });
    yield* some;
  }
}

async function readPages(
  key: string,
  segment: SegmentFacts,
  pieces: AsyncGenerator<Uint8Array>,
  sink: DatabaseSink,
): Promise<void> {
  const { pageBytes, pageCount } = segment;
  try {
    await readSegment(new ByteSource(pieces), segment, pageBytes, (page, content) => {
      if (page < 1 || page > pageCount) throw new SegmentError('a page is outside of the database');
      sink.page(page, pageBytes, content);
    });
  } catch (error) {
    throw error instanceof SegmentError ? new DamagedError(`${key}: ${error.message}`) : error;
  }
  sink.end(pageCount * pageBytes);
}

function writeAll(file: number, content: Buffer, at: number): void {
  for (let done = 0; done < content.length; )
    done += writeSync(file, content, done, content.length - done, at + done);
}
