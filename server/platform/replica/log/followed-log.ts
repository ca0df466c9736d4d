import { Database } from 'bun:sqlite';
import {
  FRAME_HEADER_BYTES,
  isSamePosition,
  LOG_HEADER_BYTES,
  type LogIndex,
  type LogPosition,
  parseFrames,
} from '../../../lib/formats/sqlite-log.ts';
import { LogFiles } from './log-files.ts';

/** Pages that transactions have changed, each as it is after the last of them. */
export interface Changes {
  /** Everything up to here is in it. */
  position: LogPosition;
  pages: Map<number, Buffer>;
  pageBytes: number;
  /** The size of the database afterwards, in pages. */
  pageCount: number;
  /** When the log was read: no later transaction is in it. */
  at: number;
}

/** Thrown if frames that nobody has read are gone or damaged. */
export class LogLostError extends Error {}

/** Frames that are read at once. */
const CHUNK_FRAMES = 1_024;
/** Frames that may be left when writers are made to wait: they wait until these are read. */
const MAX_TAIL_FRAMES = 1_000;
const BUSY_MS = 5_000;
const TRUNCATE_MS = 200;
const READ = 'select 1 from sqlite_schema limit 1';

/**
 * Follows the log of a database that another process writes. A read transaction is always open, so that nobody can
 * start the log over and so overwrite frames that were not read: https://sqlite.org/wal.html#avoiding_excessively_large_wal_files
 */
export class FollowedLog {
  readonly files: LogFiles;
  readonly #path: string;
  readonly #now: () => number;
  readonly #writer: Database;
  /** The connection with the open read transaction, and the one that gets the next. */
  #holder: Database;
  #spare: Database;
  /** The log can be started over after this position, where all pages are in the database file. */
  #end: LogPosition | undefined;
  /** The end of the log before this one, and the salts of this one. */
  #before: { end: LogPosition; next: string } | undefined;

  constructor(path: string, now: () => number) {
    this.#path = path;
    this.#now = now;
    this.#writer = this.#connect();
    this.#holder = this.#connect();
    this.#spare = this.#connect();
    this.#holder.run('begin');
    this.#holder.prepare(READ).get();
    this.files = new LogFiles(path);
    this.hold();
  }

  #connect(): Database {
    const database = new Database(this.#path, { readwrite: true, create: false });
    database.run(`pragma busy_timeout = ${BUSY_MS}`);
    database.run('pragma wal_autocheckpoint = 0');
    database.run('pragma synchronous = full');
    // SQLite makes the log and its index with the first read.
    database.prepare(READ).get();
    return database;
  }

  /** Opens a newer read transaction. Call it only when everything that the current one protects has been read. */
  hold(): LogIndex {
    this.#writer.run('begin immediate');
    try {
      return this.#exchange();
    } finally {
      this.#writer.run('rollback');
    }
  }

  /** Nobody can write now, so it is certain where the new read transaction begins. */
  #exchange(): LogIndex {
    this.#spare.run('begin');
    this.#spare.prepare(READ).get();
    if (this.#holder.inTransaction) this.#holder.run('commit');
    [this.#holder, this.#spare] = [this.#spare, this.#holder];
    const index = this.files.readIndex();
    if (this.#end && this.#end.salts !== index.salts) this.#before = { end: this.#end, next: index.salts };
    this.#end = index.backfilled === index.frame ? index : undefined;
    return index;
  }

  /** Where a full copy of the database file begins that is read from now on. Older transactions are in the file. */
  findStart(): LogPosition {
    const index = this.hold();
    if (this.#end) return toPosition(index);
    return this.#readStart(index.salts);
  }

  #readStart(salts: string): LogPosition {
    const header = this.files.readHeader();
    if (header?.salts !== salts) throw new LogLostError('the beginning of the log is damaged');
    return toPosition(header);
  }

  /** Whether the log still has what follows a position. */
  has(position: LogPosition): boolean {
    const index = this.files.readIndex();
    if (position.salts !== index.salts || position.frame > index.frame) return false;
    if (position.frame === index.frame) return isSamePosition(position, index);
    if (position.frame === 0) return true;
    const header = this.files.readLog(this.#locate(position.frame - 1, index.pageBytes), FRAME_HEADER_BYTES);
    return (
      header.toString('hex', 8, 16) === position.salts &&
      header.readUInt32BE(16) === position.checksum[0] &&
      header.readUInt32BE(20) === position.checksum[1]
    );
  }

  #locate(frame: number, pageBytes: number): number {
    return LOG_HEADER_BYTES + frame * (FRAME_HEADER_BYTES + pageBytes);
  }

  /** Bytes of the log that are in use. Its file can be larger. */
  get usedBytes(): number {
    const { frame, pageBytes } = this.files.readIndex();
    return frame * (FRAME_HEADER_BYTES + pageBytes);
  }

  /** Bytes of the log after a position. */
  countBytesAfter(position: LogPosition): number {
    const { salts, frame, pageBytes } = this.files.readIndex();
    const frames = salts === position.salts ? frame - position.frame : frame;
    return Math.max(0, frames) * (FRAME_HEADER_BYTES + pageBytes);
  }

  /**
   * The changes of whole transactions after a position, up to the last one, or up to the first one after `maxFrames`.
   * Undefined if there are none. Checks every frame.
   */
  read(after: LogPosition, maxFrames: number): Changes | undefined {
    const index = this.files.readIndex();
    const at = this.#now();
    const start = this.#continue(after, index);
    if (!start || start.frame === index.frame) return undefined;
    const { pageBytes } = index;
    const pages = new Map<number, Buffer>();
    let position = start;
    let pageCount = 0;
    while (position.frame < index.frame) {
      const count = Math.min(CHUNK_FRAMES, index.frame - position.frame);
      const chunk = this.files.readLog(
        this.#locate(position.frame, pageBytes),
        count * (FRAME_HEADER_BYTES + pageBytes),
      );
      const from = position.frame;
      for (const read of parseFrames(chunk, position, pageBytes)) {
        pages.set(read.frame.page, read.frame.content);
        position = read.position;
        if (read.frame.pagesAfter === 0) continue;
        pageCount = read.frame.pagesAfter;
        if (position.frame - start.frame >= maxFrames) return { position, pages, pageBytes, pageCount, at };
      }
      if (position.frame !== from + count)
        throw new LogLostError(`frame ${position.frame + 1} of the log is damaged`);
    }
    if (!isSamePosition(position, index)) throw new LogLostError('the log does not match its index');
    return { position, pages, pageBytes, pageCount, at };
  }

  /** The state of the database at a position after which nothing was written. */
  readNothing(position: LogPosition): Changes {
    const { pageBytes } = this;
    const pageCount = this.files.readIndex().pageCount || Math.floor(this.files.databaseBytes / pageBytes);
    return { position, pages: new Map(), pageBytes, pageCount, at: this.#now() };
  }

  /** The size of a page, which the database file has in its header. */
  get pageBytes(): number {
    const size = this.files.readDatabase(16, 2).readUInt16BE(0);
    return size === 1 ? 65_536 : size;
  }

  /** Where to go on reading: in the same log, or at the start of the next one. */
  #continue(after: LogPosition, index: LogIndex): LogPosition | undefined {
    if (after.salts === index.salts) {
      if (after.frame > index.frame) throw new LogLostError('the log is shorter than it was');
      return after;
    }
    const isAtEnd = this.#end !== undefined && isSamePosition(this.#end, after);
    const isBefore = this.#before?.next === index.salts && isSamePosition(this.#before.end, after);
    if (!isAtEnd && !isBefore) throw new LogLostError('the log was started over before it was read');
    return index.frame === 0 ? undefined : this.#readStart(index.salts);
  }

  /** Holds the frames of a log that was started over, too. */
  holdNew(position: LogPosition): void {
    if (this.#end && this.#end.salts !== position.salts) this.hold();
  }

  /**
   * Moves the log into the database file, so that the next writer starts it over. Call it when everything up to
   * `position` is in the replica. Writers wait only while the last frames are read, which it returns.
   */
  startOver(position: LogPosition): Changes | undefined {
    this.hold();
    this.#checkpoint(this.#writer, 'passive');
    this.#writer.run('begin immediate');
    try {
      const { salts, frame } = this.files.readIndex();
      if (salts !== position.salts || frame - position.frame > MAX_TAIL_FRAMES) return undefined;
      const changes = this.read(position, Number.MAX_SAFE_INTEGER);
      this.#holder.run('commit');
      this.#checkpoint(this.#holder, 'passive');
      this.#exchange();
      return changes;
    } finally {
      this.#writer.run('rollback');
    }
  }

  /** Gives the log up and frees its space, although not all of it was read. */
  letGo(): void {
    this.#holder.run('commit');
    try {
      this.#checkpoint(this.#writer, 'passive');
      // Writers wait while it waits for readers, so it must not wait long.
      this.#writer.run(`pragma busy_timeout = ${TRUNCATE_MS}`);
      this.#checkpoint(this.#writer, 'truncate');
    } finally {
      this.#writer.run(`pragma busy_timeout = ${BUSY_MS}`);
      this.#holder.run('begin');
      this.#holder.prepare(READ).get();
      this.hold();
    }
  }

  #checkpoint(database: Database, mode: string): void {
    database.prepare(`pragma wal_checkpoint(${mode})`).get();
  }

  /** Only for tests. The last one to close a database starts its log over. */
  close(): void {
    for (const database of [this.#writer, this.#holder, this.#spare]) database.close();
    this.files.close();
  }
}

function toPosition({ salts, frame, checksum }: LogPosition): LogPosition {
  return { salts, frame, checksum };
}
