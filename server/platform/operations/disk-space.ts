import { dlopen, FFIType } from 'bun:ffi';
import { closeSync, existsSync, openSync, rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';

const LOOK_EVERY_MS = 1_000;
/** Enough for many logins and deletions: both write a few pages to the database and its log. */
const RESERVE_BYTES = 32 * 1024 ** 2;
/** The largest part of a small disk that is held back. */
const RESERVE_SHARE = 1 / 8;
const NAME = 'reserve';

/**
 * Watches the disk of the data folder, and holds back some of it in a file. Once the disk is almost full, it gives the
 * file up and is `isLow`: what needs space is then refused, so that people can still log in and delete something.
 */
export class DiskSpace {
  #isLow = false;
  #freeBytes = 0;
  #totalBytes = 0;
  /** Why nothing could be held back. It is tried again at every look, and reported once. */
  #failure = '';
  readonly #file: string;
  readonly #timer: ReturnType<typeof setInterval>;

  constructor(
    private readonly options: {
      dataFolder: string;
      log: { warn(text: string): void; info(text: string): void };
    },
  ) {
    this.#file = join(options.dataFolder, NAME);
    this.look();
    this.#timer = setInterval(() => this.look(), LOOK_EVERY_MS);
    this.#timer.unref();
  }

  /** True while only what needs almost no space is possible. Space that was freed counts at once. */
  get isLow(): boolean {
    if (this.#isLow) this.look();
    return this.#isLow;
  }

  /** The free bytes as of the last second, without what is held back. */
  get freeBytes(): number {
    return this.#freeBytes;
  }

  get totalBytes(): number {
    return this.#totalBytes;
  }

  /** Looks at the disk. Also called when a write has failed for lack of space, to refuse the next one. */
  look(): void {
    const { freeBytes, totalBytes } = measure(this.options.dataFolder);
    const reserveBytes = Math.min(RESERVE_BYTES, Math.floor(totalBytes * RESERVE_SHARE));
    const leastBytes = reserveBytes / 4;
    const isHeld = existsSync(this.#file);
    this.#freeBytes = freeBytes;
    this.#totalBytes = totalBytes;
    // Space is held back again only if twice the least is left beside it, so that it is not given up at once.
    const isEnough = freeBytes >= (isHeld ? 0 : reserveBytes) + 2 * leastBytes;
    if (isEnough && !isHeld) this.#hold(reserveBytes);
    if (isEnough) this.#become(false);
    else if (freeBytes < (isHeld ? leastBytes : reserveBytes)) this.#giveUp();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #hold(bytes: number): void {
    try {
      allocate(this.#file, bytes);
      this.#freeBytes = measure(this.options.dataFolder).freeBytes;
      this.#failure = '';
    } catch (error) {
      rmSync(this.#file, { force: true });
      const { message } = error as Error;
      if (message === this.#failure) return;
      this.#failure = message;
      this.options.log.warn(`No space on the disk is held back for logins: ${message}`);
    }
  }

  #giveUp(): void {
    rmSync(this.#file, { force: true });
    this.#become(true);
  }

  #become(isLow: boolean): void {
    if (this.#isLow === isLow) return;
    this.#isLow = isLow;
    if (isLow)
      this.options.log.warn(
        'The disk is almost full: only logging in, reading and deleting is possible now.',
      );
    else this.options.log.info('The disk has space again: everything is possible.');
  }
}

function measure(folder: string): { freeBytes: number; totalBytes: number } {
  const { bavail, blocks, bsize } = statfsSync(folder);
  return { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
}

/** Reserves blocks for a file, which the file system functions of Bun cannot do: they would have to write all of it. */
function allocate(path: string, bytes: number): void {
  const library = dlopen('libc.so.6', {
    posix_fallocate: { args: [FFIType.int, FFIType.i64, FFIType.i64], returns: FFIType.int },
  });
  const descriptor = openSync(path, 'w', 0o600);
  try {
    const failure = library.symbols.posix_fallocate(descriptor, 0, bytes);
    if (failure !== 0) throw new Error(`posix_fallocate failed with ${failure}`);
  } finally {
    closeSync(descriptor);
    library.close();
  }
}
