import type { Log } from '../../../platform/http/index.ts';
import type { Db, PageRow } from '../../../platform/storage/index.ts';
import { listFollowed } from './follow-store.ts';
import { isOutdated, type PublicRecords } from './outdated.ts';

/** How often the pages are compared with their pictures. */
const LOOK_EVERY_MS = 60_000;
/** Pages that are read at a time. */
const PAGES_AT_ONCE = 500;

/** Reads the records that strangers see on pages, as far as there are any. */
export type ReadPublicRecords = (
  db: Db,
  pages: ReadonlyArray<Pick<PageRow, 'id' | 'storage_mode'>>,
) => Promise<Map<number, PublicRecords>>;

interface FollowerOptions {
  /** For slow reads. */
  slowDb: Db;
  now: () => number;
  log: Pick<Log, 'warn'>;
  readPublicRecords: ReadPublicRecords;
  /** Takes a picture again, if it still has to be. */
  takeAgain(page: { id: number; ownerId: number }): void;
}

/**
 * Finds pages whose records have changed since their picture was taken. Writes of records do nothing for this: it reads
 * the time of the last change that their counts have, once a minute. What it finds is in the database, so nothing is lost
 * with the process, and all nodes can look: only one claims each picture.
 */
export class PictureFollower {
  readonly #options: FollowerOptions;
  readonly #timer: ReturnType<typeof setInterval>;
  #looking: Promise<void> | undefined;
  #isStopped = false;

  constructor(options: FollowerOptions) {
    this.#options = options;
    this.#timer = setInterval(() => void this.look(), LOOK_EVERY_MS);
    this.#timer.unref();
  }

  /** Looks now, unless it does already. */
  look(): Promise<void> {
    this.#looking ??= this.#lookThrough()
      .catch((error: unknown) => {
        if (!this.#isStopped) this.#options.log.warn({ err: error }, 'outdated pictures could not be found');
      })
      .finally(() => {
        this.#looking = undefined;
      });
    return this.#looking;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearInterval(this.#timer);
    await this.#looking;
  }

  async #lookThrough(): Promise<void> {
    const { slowDb, now, readPublicRecords, takeAgain } = this.#options;
    for (let after = 0; !this.#isStopped; ) {
      const rows = await listFollowed(slowDb, { after, limit: PAGES_AT_ONCE, now: now() });
      const records = await readPublicRecords(slowDb, rows);
      for (const row of rows)
        if (isOutdated(row, records.get(row.id), now())) takeAgain({ id: row.id, ownerId: row.owner_id });
      if (rows.length < PAGES_AT_ONCE) return;
      after = rows.at(-1)?.id ?? after;
    }
  }
}
