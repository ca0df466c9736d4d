import { rmSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { UPLOAD_LIMIT } from '../../../../contract/pages/files/files.ts';
import { phrase } from '../../../../contract/rules/texts/fill.ts';
import { AppError } from '../../../lib/errors.ts';
import { createFairQueue } from '../../../lib/fair-queue.ts';
import { assertReply, createThreads, type Refusal, type Threads } from '../../../lib/threads.ts';
import { createBodyMemory, withReserved } from '../../../platform/http/index.ts';
import { MAX_UNPACKED_BYTES } from './open-files.ts';
import type { Prepared, PrepareRequest } from './prepare.ts';

/** The most that one import may take up on this disk: as it was sent, unpacked, and as the files of the page. */
const IMPORT_BYTES = 2 * UPLOAD_LIMIT + MAX_UNPACKED_BYTES;
/** The most that all imports may take up, shared fairly between their senders. */
const DISK_BYTES = 4 * IMPORT_BYTES;
const READ_MS = 60_000;
/** Threads that read: few, because reading should not slow down the serving of pages. */
const THREADS = 2;
const MAX_WAITING = 50;

/** An import that is read. */
interface Reading {
  request: Request;
  sender: string;
  boundary: string | undefined;
  isPublishing: boolean;
  /** Writes the body to a file, and returns the name of what was sent. */
  spool(path: string): Promise<string>;
}

/** Reads imports: from the connection or an address to a folder on disk, and from there, in a thread, to a plan. */
export class Receiver {
  readonly #folder: string;
  readonly #disk = createBodyMemory(DISK_BYTES);
  readonly #threads: Threads<PrepareRequest, Prepared | Refusal>;
  readonly #takeTurn = createFairQueue({ width: THREADS, maxWaiting: MAX_WAITING, refused: busy });

  constructor(dataFolder: string) {
    this.#folder = join(dataFolder, 'imports');
    // Remove what a crash left behind. Only this process uses the folder.
    rmSync(this.#folder, { recursive: true, force: true });
    this.#threads = createThreads(() => new Worker(new URL('./open.worker.ts', import.meta.url)), {
      deadlineMs: READ_MS,
    });
  }

  /** Reads an import and does `work` with it. Afterwards its files are removed from this disk. */
  async receive<Result>(
    { request, sender, boundary, isPublishing, spool }: Reading,
    work: (prepared: Prepared) => Promise<Result>,
  ): Promise<Result> {
    return withReserved(this.#disk, request, { sender, bytes: IMPORT_BYTES }, async () => {
      const folder = join(this.#folder, Bun.randomUUIDv7());
      try {
        await mkdir(folder, { recursive: true, mode: 0o700 });
        const body = join(folder, 'body');
        const name = await spool(body);
        const asked = { body, boundary, name, folder, isPublishing };
        const reply = await this.#takeTurn(sender, () =>
          this.#threads.ask(asked, { failure: phrase('An import was not read') }),
        );
        return await work(assertReply(reply));
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    });
  }

  stop(): void {
    this.#threads.stop();
  }
}

function busy(): AppError {
  return new AppError(
    'UNAVAILABLE',
    'Too many imports are in progress. Try again in a few seconds.',
    {},
    { headers: { 'retry-after': '5' } },
  );
}
