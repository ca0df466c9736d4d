import { Database } from 'bun:sqlite';
import { type BigIntStats, constants, fstatSync, lstatSync, openSync, readSync } from 'node:fs';
import type { LogIndex, LogPosition } from '../../../lib/formats/sqlite-log.ts';
import { hasFrames, LogError, readFrames, readIndex, readLogHeader } from './log.ts';

/** Reads the pages of a database as they are at one moment, while its host writes. It takes no lock that a writer needs. */

const TRIES = 8;
const PAUSE_MS = 20;
const BUSY_MS = 5_000;
/** Two changes of a file within one tick of the kernel's clock have the same time. */
const TICK_MS = 50;
/** A log is longer only after a statement that was undone, and its host is ended soon after. */
const MAX_LOG_BYTES = 16 * 1024 ** 3;
const MIN_FILE_BYTES = 512;

/** The pages of a database, as they are at one moment. */
export interface DatabasePages {
  pageBytes: number;
  pageCount: number;
  /** When that moment was. */
  at: number;
  /** Where its log was; undefined without one. */
  position: LogPosition | undefined;
  /** The pages that were written since the earlier position, if they are known without a look at all. */
  changed: number[] | undefined;
  /** Reads pages from `first` on, and returns how many fit. */
  read(first: number, into: Buffer): number;
  /** Throws if what was read may be of several moments. */
  assertSteady(): void;
}

/** Thrown if the database changed in a way that a copy cannot follow. Trying again helps. */
class ChangedError extends Error {}

/**
 * Reads a database at one moment. It starts over if the database changes in a way that mixes moments, which happens
 * only if nobody had it open before.
 */
export function readAtOneMoment<T>(
  path: string,
  since: LogPosition | undefined,
  use: (pages: DatabasePages) => T,
  restart: () => void,
): T {
  for (let tries = 1; ; tries++) {
    try {
      using source = openSource(path);
      const pages = source.open(since);
      const result = use(pages);
      pages.assertSteady();
      return result;
    } catch (error) {
      const canHelp = error instanceof ChangedError || error instanceof LogError;
      if (!canHelp || tries === TRIES) throw error;
      restart();
      Bun.sleepSync(PAUSE_MS * tries);
    }
  }
}

interface Source extends Disposable {
  open(since: LogPosition | undefined): DatabasePages;
}

function openSource(path: string): Source {
  const file = tryOpen(path);
  if (file === undefined) return { open: () => EMPTY, [Symbol.dispose]: () => undefined };
  const log = tryOpen(`${path}-wal`);
  return log !== undefined && hasFrames(log)
    ? new LoggedSource(path, file, log)
    : new PlainSource(path, file);
}

const EMPTY: DatabasePages = {
  pageBytes: 4096,
  pageCount: 0,
  at: Date.now(),
  position: undefined,
  changed: undefined,
  read: () => 0,
  assertSteady: () => undefined,
};

/**
 * A file that is opened here is never closed: closing any descriptor of a file ends the locks that this process has on
 * it. This process ends soon.
 */
function tryOpen(path: string): number | undefined {
  try {
    return openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** A database without a log: nobody has it open, or nobody has written since it was opened. */
class PlainSource implements Source {
  constructor(
    private readonly path: string,
    private readonly file: number,
  ) {}

  open(): DatabasePages {
    const { file, path } = this;
    const before = fstatSync(file, { bigint: true });
    const ageMs = Date.now() - Number(before.mtimeMs);
    if (ageMs < TICK_MS) Bun.sleepSync(TICK_MS);
    const size = Number(before.size);
    const pageBytes = size < MIN_FILE_BYTES ? 4096 : readPageBytes(file);
    return {
      pageBytes,
      pageCount: Math.ceil(size / pageBytes),
      at: Date.now(),
      position: undefined,
      changed: undefined,
      read: (first, into) => readFile(file, first, pageBytes, into),
      assertSteady() {
        const now = lstatSync(path, { bigint: true, throwIfNoEntry: false });
        const log = lstatSync(`${path}-wal`, { throwIfNoEntry: false });
        if (!now || !isSame(before, now) || (log?.size ?? 0) > 0)
          throw new ChangedError('the database was written while it was copied');
      },
    };
  }

  [Symbol.dispose](): void {}
}

function isSame(one: BigIntStats, other: BigIntStats): boolean {
  return one.ino === other.ino && one.size === other.size && one.mtimeNs === other.mtimeNs;
}

/**
 * A database with a log. A read transaction keeps its host from moving later frames of the log into the file, and from
 * starting the log over, for as long as the source is open. Writers go on.
 */
class LoggedSource implements Source {
  private readonly reader: Database;

  constructor(
    path: string,
    private readonly file: number,
    private readonly log: number,
  ) {
    this.reader = new Database(path, { readonly: true });
    try {
      this.reader.run(`PRAGMA busy_timeout = ${BUSY_MS}`);
      this.reader.run('BEGIN');
      // Begins to read, but does not parse the schema, which its owner wrote.
      this.reader.query('PRAGMA schema_version').all();
      this.index = requireIndex(`${path}-shm`);
    } catch (error) {
      this.reader.close();
      throw error;
    }
  }

  private readonly index: LogIndex;

  open(since: LogPosition | undefined): DatabasePages {
    const { index, log, file } = this;
    const { pageBytes, pageCount } = index;
    const at = Date.now();
    if (fstatSync(log).size > MAX_LOG_BYTES) throw new Error('the log of the database is too long to copy');
    const header = readLogHeader(log);
    const isContinued = since !== undefined && since.salts === index.salts && since.frame <= index.frame;
    // The file has all that is in the log, and the transaction keeps it as it is. The log may start over.
    const isInFile = !isContinued && index.backfilled >= index.frame;
    const frames = isInFile
      ? new Map<number, number>()
      : readFrames(log, index, isContinued ? since : undefined);
    return {
      pageBytes,
      pageCount,
      at,
      position:
        index.frame === 0 ? undefined : { salts: index.salts, frame: index.frame, checksum: index.checksum },
      changed: isContinued
        ? [...frames.keys()].filter((page) => page <= pageCount).sort((a, b) => a - b)
        : undefined,
      read(first, into) {
        const count = readFile(file, first, pageBytes, into);
        for (let page = first; page < first + count; page++) {
          const offset = frames.get(page);
          if (offset === undefined) continue;
          const start = (page - first) * pageBytes;
          if (readSync(log, into, start, pageBytes, offset) < pageBytes)
            throw new ChangedError('the log has become shorter');
        }
        return count;
      },
      assertSteady() {
        if (!isInFile && !readLogHeader(log).equals(header))
          throw new ChangedError('the log has started over');
      },
    };
  }

  [Symbol.dispose](): void {
    this.reader.close();
  }
}

/** The index is only ever changed by the host, in two steps that take no time. */
function requireIndex(path: string): LogIndex {
  const file = tryOpen(path);
  for (let tries = 1; file !== undefined && tries <= TRIES; tries++) {
    const index = readIndex(file);
    if (index) return index;
    Bun.sleepSync(tries);
  }
  throw new LogError('the index of the log cannot be read');
}

function readPageBytes(file: number): number {
  const header = Buffer.alloc(18);
  readSync(file, header, 0, header.length, 0);
  const value = header.readUInt16BE(16);
  const pageBytes = value === 1 ? 65_536 : value;
  const isPowerOfTwo = pageBytes >= MIN_FILE_BYTES && (pageBytes & (pageBytes - 1)) === 0;
  if (!header.toString('latin1', 0, 15).startsWith('SQLite format 3') || !isPowerOfTwo)
    throw new Error('the file is not a SQLite database');
  return pageBytes;
}

/** Reads pages of the file. What is past its end is zero: the log has it, or nobody has ever written it. */
function readFile(file: number, first: number, pageBytes: number, into: Buffer): number {
  const wanted = into.length - (into.length % pageBytes);
  let done = 0;
  while (done < wanted) {
    const count = readSync(file, into, done, wanted - done, (first - 1) * pageBytes + done);
    if (count === 0) break;
    done += count;
  }
  into.fill(0, done, wanted);
  return wanted / pageBytes;
}
