import { AppError } from '../../lib/errors.ts';
import { type OpenArchive, openArchive } from '../../lib/formats/archive-stream.ts';
import { type ExportFile, packExport } from '../../lib/formats/export-files.ts';
import { compress } from '../../lib/formats/gzip.ts';
import type { Limit } from '../../platform/coordination/limits/index.ts';
import type { Actor, Log } from '../../platform/http/index.ts';

/** Everything of a user, as files. */
type ListFiles = (actor: Actor) => AsyncIterable<ExportFile>;

/** Exports at the same time on this node. Each has a compressor, and at times a copy of a database. */
export const MAX_EXPORTS = 8;
/** How long a reader can take: `ms`, plus a second for each `bytesPerSecond`, so nobody occupies a place for hours. */
const PATIENCE = { ms: 60_000, bytesPerSecond: 16 * 1024 };
const CHECK_EVERY_MS = 5_000;

interface ExportsOptions {
  listFiles: ListFiles;
  /** Whether the login that an export was started with still stands. */
  isStillLoggedIn(actor: Actor): Promise<boolean>;
  perDay: Limit;
  log: Log;
  now: () => number;
}

/** The exports of accounts that are being read. */
export class Exports {
  readonly #options: ExportsOptions;
  readonly #running = new Map<number, OpenArchive & { check(): Promise<void> }>();
  #isStopping = false;

  constructor(options: ExportsOptions) {
    this.#options = options;
  }

  /** Starts an export. It is made while it is read, so its size is not known. */
  async start(actor: Actor): Promise<ReadableStream<Uint8Array>> {
    const { listFiles, isStillLoggedIn, perDay, log, now } = this.#options;
    const { userId } = actor;
    this.#assertFree(userId);
    await perDay.take(String(userId));
    this.#assertFree(userId);
    const startedAt = now();
    const reader = new Reader();
    const bytes = reader.watch(compress(packExport(listFiles(actor), startedAt)));
    const archive = openArchive(bytes, (failure) => {
      clearInterval(timer);
      this.#running.delete(userId);
      const seconds = Math.round((now() - startedAt) / 1000);
      if (failure) log.info({ err: failure, user: userId, seconds }, 'an export was broken off');
      else log.info({ user: userId, seconds }, 'an account was exported');
    });
    const check = async () => {
      if (reader.isTooSlow()) await archive.breakOff(new Error('its reader was too slow'));
      // A database that does not answer ends nothing. The next check asks again.
      const hasEnded = await isStillLoggedIn(actor).then(
        (isStill) => !isStill,
        () => false,
      );
      if (hasEnded) await archive.breakOff(new Error('the login that started it has ended'));
    };
    const timer = setInterval(() => void check(), CHECK_EVERY_MS);
    timer.unref();
    this.#running.set(userId, { ...archive, check });
    return archive.stream;
  }

  /** Call this when logins of a user have ended: an export may have been started with one of them. */
  loginsEnded(userId: number): void {
    void this.#running.get(userId)?.check();
  }

  /** Stops the export of a user whose account is being deleted. */
  async end(userId: number): Promise<void> {
    await this.#running.get(userId)?.breakOff(new Error('the account is being deleted'));
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    const why = new Error('the server is stopping');
    await Promise.all([...this.#running.values()].map((archive) => archive.breakOff(why)));
  }

  #assertFree(userId: number): void {
    if (this.#running.has(userId))
      throw new AppError('CONFLICT', 'An export of your account is running. Wait until it has ended.');
    if (this.#isStopping || this.#running.size >= MAX_EXPORTS)
      throw new AppError(
        'UNAVAILABLE',
        'Many accounts are being exported. Try again in a few minutes.',
        {},
        {
          headers: { 'retry-after': '120' },
        },
      );
  }
}

/** Measures how long we wait for the reader of an archive. */
class Reader {
  #waitedMs = 0;
  #bytes = 0;
  #waitingSince: number | undefined = performance.now();

  async *watch(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    this.#resume();
    for await (const piece of pieces) {
      this.#bytes += piece.length;
      this.#waitingSince = performance.now();
      yield piece;
      this.#resume();
    }
  }

  isTooSlow(): boolean {
    const now = performance.now();
    const waited = this.#waitedMs + (this.#waitingSince === undefined ? 0 : now - this.#waitingSince);
    return waited > PATIENCE.ms + (this.#bytes / PATIENCE.bytesPerSecond) * 1000;
  }

  #resume(): void {
    if (this.#waitingSince !== undefined) this.#waitedMs += performance.now() - this.#waitingSince;
    this.#waitingSince = undefined;
  }
}
