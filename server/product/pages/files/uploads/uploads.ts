import { rmSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { UPLOAD_LIMIT } from '../../../../../contract/pages/files/files.ts';
import { MAX_PAGE_FILES_BYTES } from '../../../../../contract/rules/limits.ts';
import { phrase } from '../../../../../contract/rules/texts/fill.ts';
import { AppError } from '../../../../lib/errors.ts';
import { createFairQueue } from '../../../../lib/fair-queue.ts';
import { readBoundary } from '../../../../lib/formats/multipart.ts';
import { assertReply, createThreads, type Refusal, type Threads } from '../../../../lib/threads.ts';
import { createBodyMemory, readLength, spoolBody, withReserved } from '../../../../platform/http/index.ts';
import type { Unpacked, UnpackRequest } from './unpack.ts';

/**
 * The most that uploads in progress may take up on this disk, shared fairly between their senders: as bodies, and as
 * unpacked files. Files have their own part, because senders decide how long a body takes to arrive.
 */
const BODIES_BYTES = 1024 * 1024 * 1024;
const FILES_BYTES = 1024 * 1024 * 1024;
const UNPACK_MS = 60_000;
/** Threads that unpack: few, because unpacking should not slow down the serving of pages. */
const THREADS = 2;
const MAX_WAITING = 100;

/** Uploads of many files: from the connection to a folder on disk, and from there, unpacked in a thread, to files. */
export class Uploads {
  readonly #folder: string;
  readonly #bodies = createBodyMemory(BODIES_BYTES);
  readonly #files = createBodyMemory(FILES_BYTES);
  readonly #threads: Threads<UnpackRequest, Unpacked | Refusal>;
  readonly #takeTurn = createFairQueue({
    width: THREADS,
    maxWaiting: MAX_WAITING,
    refused: () =>
      new AppError(
        'UNAVAILABLE',
        'Too many uploads are in progress. Try again in a few seconds.',
        {},
        {
          headers: { 'retry-after': '5' },
        },
      ),
  });

  constructor({ dataFolder }: { dataFolder: string }) {
    this.#folder = join(dataFolder, 'uploads');
    // Remove what a crash left behind. Only this process uses the folder.
    rmSync(this.#folder, { recursive: true, force: true });
    this.#threads = createThreads(() => new Worker(new URL('./unpack.worker.ts', import.meta.url)), {
      deadlineMs: UNPACK_MS,
    });
  }

  /** Receives the files of a request and does `work` with them. Afterwards they are removed from this disk. */
  async receive<Result>(
    request: Request,
    { sender, known }: { sender: string; known: string[] },
    work: (unpacked: Unpacked) => Promise<Result>,
  ): Promise<Result> {
    const boundary = formBoundary(request);
    const sent = Math.min(readLength(request) ?? UPLOAD_LIMIT, UPLOAD_LIMIT);
    return withReserved(this.#bodies, request, { sender, bytes: sent }, async () => {
      const folder = join(this.#folder, Bun.randomUUIDv7());
      try {
        await mkdir(folder, { recursive: true, mode: 0o700 });
        const body = join(folder, 'body');
        const size = await spoolBody(request, body, UPLOAD_LIMIT);
        if (size === 0) throw new AppError('BAD_REQUEST', 'The request has no body. Send the files in it.');
        // For an archive, reserve the most: its size is known too late.
        const bytes = boundary === undefined ? MAX_PAGE_FILES_BYTES : size;
        return await withReserved(this.#files, request, { sender, bytes }, async () => {
          const unpacked = await this.#takeTurn(sender, () =>
            this.#threads.ask(
              { body, boundary, folder, known },
              { failure: phrase('An upload was not unpacked') },
            ),
          );
          await rm(body);
          return work(assertReply(unpacked));
        });
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    });
  }

  stop(): void {
    this.#threads.stop();
  }
}

/** The boundary of a form; undefined for an archive. Everything else is refused. */
function formBoundary(request: Request): string | undefined {
  const type = request.headers.get('content-type') ?? '';
  if (/^application\/(x-)?zip(-compressed)?\s*(;|$)/i.test(type)) return undefined;
  if (/^multipart\/form-data\b/i.test(type)) return readBoundary(type);
  throw new AppError(
    'UNSUPPORTED_MEDIA_TYPE',
    'Send the files as application/zip, or as multipart/form-data with a part for each.',
  );
}
