import { randomBytes } from 'node:crypto';
import type { KeptBlobs } from '../../platform/blobs/index.ts';
import type { Log } from '../../platform/http/index.ts';
import type { Db, Tx } from '../../platform/storage/index.ts';
import {
  deleteReports,
  forgetAddresses,
  hasPicture,
  listClosedBefore,
  listPicturesOfPage,
  setPicture,
} from './store.ts';

/** Pages that wait for their picture. More are not photographed. */
const MAX_WAITING = 50;

/** Where the bytes of a picture are stored. */
export const reportPictureKey = (name: string) => `report-pictures/${name}`;

interface PictureOptions {
  kept: KeptBlobs;
  log: Pick<Log, 'warn'>;
  /** What a page looks like for everyone, as WebP. Undefined if not everyone sees it, or without a browser. */
  photograph(pageId: number, signal: AbortSignal): Promise<Uint8Array | undefined>;
}

/**
 * Pictures of reported pages, so that nobody has to open a hostile page to decide about it. One is taken at a time, in
 * the background. What waits is lost with the process: then there is no picture.
 */
export class ReportPictures {
  readonly #options: PictureOptions;
  readonly #waiting = new Map<number, string>();
  readonly #stopping = new AbortController();
  #working: Promise<void> | undefined;

  constructor(options: PictureOptions) {
    this.#options = options;
  }

  /** Takes a picture of a page soon, for a report of it. */
  want({ pageId, reportId }: { pageId: number; reportId: string }): void {
    if (this.#stopping.signal.aborted || this.#waiting.size >= MAX_WAITING) return;
    this.#waiting.set(pageId, reportId);
    this.#working ??= this.#work();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#working;
  }

  async #work(): Promise<void> {
    const { signal } = this.#stopping;
    for (let next = this.#take(); next && !signal.aborted; next = this.#take())
      await this.#photograph(...next).catch((error: unknown) => {
        if (!signal.aborted)
          this.#options.log.warn({ err: error }, 'a reported page could not be photographed');
      });
    this.#working = undefined;
  }

  #take(): [number, string] | undefined {
    const [next] = this.#waiting;
    if (next) this.#waiting.delete(next[0]);
    return next;
  }

  async #photograph(pageId: number, reportId: string): Promise<void> {
    const { kept, photograph } = this.#options;
    const webp = await photograph(pageId, this.#stopping.signal);
    if (!webp) return;
    // The name is the only secret of its address. It is hex because keys of blobs have no underscores.
    const name = randomBytes(32).toString('hex');
    const key = reportPictureKey(name);
    await kept.keepSome([{ key, content: webp }], async (tx, take) => {
      if (await setPicture(tx, reportId, name)) await take([key]);
    });
  }
}

interface Stored {
  db: Db;
  kept: Pick<KeptBlobs, 'get' | 'release'>;
}

export async function readPicture({ db, kept }: Stored, name: string): Promise<Uint8Array | undefined> {
  return (await hasPicture(db, name)) ? kept.get(reportPictureKey(name)) : undefined;
}

/** Removes the pictures of a page when it is deleted. They do not count towards the quota, so nothing is freed. */
export function removePicturesWithPage({ kept }: Pick<Stored, 'kept'>) {
  return async (tx: Tx, page: { id: number }): Promise<number> => {
    const names = await listPicturesOfPage(tx, page.id);
    if (names.length > 0) await kept.release(tx, names.map(reportPictureKey));
    return 0;
  };
}

const DAY_MS = 24 * 3600 * 1000;
const PURGED_AT_ONCE = 100;

/** Deletes reports that were decided long ago, and forgets who sent those that were decided. */
export async function purgeReports(
  { db, kept }: Stored,
  { now, days, isStopping }: { now: number; days: number; isStopping: () => boolean },
): Promise<void> {
  await forgetAddresses(db, now - DAY_MS);
  for (let isDone = false; !isDone && !isStopping(); )
    await db.transaction().execute(async (tx) => {
      const rows = await listClosedBefore(tx, now - days * DAY_MS, PURGED_AT_ONCE);
      isDone = rows.length < PURGED_AT_ONCE;
      if (rows.length === 0) return;
      const names = rows.flatMap(({ picture }) => (picture === null ? [] : [reportPictureKey(picture)]));
      if (names.length > 0) await kept.release(tx, names);
      await deleteReports(
        tx,
        rows.map(({ id }) => id),
      );
    });
}
