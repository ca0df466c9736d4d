import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import {
  INDEX_BYTES,
  LOG_HEADER_BYTES,
  type LogIndex,
  parseIndex,
  parseLogHeader,
} from '../../../lib/formats/sqlite-log.ts';

/** How often to look again while somebody is writing the index. It takes them less than a microsecond. */
const TRIES = 1_000;

/**
 * The files of the database, for reading. They stay open as long as the process: closing one would release the locks
 * that SQLite has on it (https://sqlite.org/howtocorrupt.html#_posix_advisory_locks_canceled_by_a_separate_thread_doing_close_).
 */
export class LogFiles {
  readonly #database: number;
  readonly #log: number;
  readonly #index: number;

  constructor(path: string) {
    this.#database = openSync(path, 'r');
    this.#log = openSync(`${path}-wal`, 'r');
    this.#index = openSync(`${path}-shm`, 'r');
  }

  /** The size of the log's file. What is in use can be less. */
  get logBytes(): number {
    return fstatSync(this.#log).size;
  }

  get databaseBytes(): number {
    return fstatSync(this.#database).size;
  }

  readIndex(): LogIndex {
    for (let tries = 0; tries < TRIES; tries++) {
      const index = parseIndex(this.#read(this.#index, 0, INDEX_BYTES));
      if (index) return index;
    }
    throw new Error('the index of the log cannot be read');
  }

  readHeader(): ReturnType<typeof parseLogHeader> {
    return parseLogHeader(this.#read(this.#log, 0, LOG_HEADER_BYTES));
  }

  readLog(from: number, bytes: number): Buffer<ArrayBuffer> {
    return this.#read(this.#log, from, bytes);
  }

  readDatabase(from: number, bytes: number): Buffer<ArrayBuffer> {
    return this.#read(this.#database, from, bytes);
  }

  /** Only for tests, which open many in one process. */
  close(): void {
    for (const file of [this.#database, this.#log, this.#index]) closeSync(file);
  }

  #read(file: number, from: number, bytes: number): Buffer<ArrayBuffer> {
    // Not from the pool of small buffers: frames are read as words, which must be aligned.
    const buffer = Buffer.from(new ArrayBuffer(bytes));
    let length = 0;
    while (length < bytes) {
      const read = readSync(file, buffer, length, bytes - length, from + length);
      if (read === 0) break;
      length += read;
    }
    return buffer.subarray(0, length);
  }
}
