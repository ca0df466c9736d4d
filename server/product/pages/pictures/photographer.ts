import { WINDOWS } from '../../../../contract/checks/page-check.ts';
import {
  MAX_PAGE_PICTURE_BYTES,
  PICTURE_HEIGHT,
  PICTURE_WIDTH,
} from '../../../../contract/pages/page-picture.ts';
import { AppError } from '../../../lib/errors.ts';
import type { KeptBlobs } from '../../../platform/blobs/index.ts';
import type { Limit, Limits } from '../../../platform/coordination/limits/index.ts';
import type { Log } from '../../../platform/http/index.ts';
import { smallWebp } from '../../../platform/pictures/index.ts';
import type { Db, PageRow } from '../../../platform/storage/index.ts';
import type { Browser, Visit } from '../../../runtime/browser/index.ts';
import { isOpen } from '../model/access-policy.ts';
import { findPage, lockPage } from '../model/page-store.ts';
import { claimAgain } from './follow-store.ts';
import type { ReadPublicRecords } from './follower.ts';
import { AGAIN_AFTER_MS, isOutdated, type PublicRecords } from './outdated.ts';
import { claimPicture, endClaim, findPicture, needsPicture, releaseClaim, savePicture } from './store.ts';
import { Turns } from './turns.ts';

/** The wait after the last change of a page, so that many changes in a row make one picture. */
const SETTLE_MS = 2_000;
/** The wait while somebody has a page checked: people go first. */
const BUSY_MS = 1_000;
const MAX_SETTLING = 1_000;
const MAX_WAITING = { pages: 1_000, perOwner: 100 };
/** The rate limit of pictures of one owner's pages, on all nodes together. */
const RATE = { points: 60, seconds: 3600 };

export interface PhotographerOptions {
  db: Db;
  kept: KeptBlobs;
  browser: Pick<Browser, 'isIdle' | 'isAvailable' | 'visit'>;
  limits: Limits;
  log: Pick<Log, 'warn'>;
  now: () => number;
  isOn: boolean;
  readPublicRecords: ReadPublicRecords;
  /** The URL of the page for a visitor who is not counted. */
  opening(page: PageRow): Pick<Visit, 'url' | 'domain' | 'intercept'>;
  /** Called when there is a new picture of a page. */
  onPicture(pageId: number): void;
}

/**
 * Takes pictures of the pages that everyone can see, one at a time, when no browser is in use. It works in the
 * background: nobody waits for it, and a picture that fails is taken with the next change. All nodes share the claims.
 * The browser is logged in nowhere, so no picture shows what strangers cannot see.
 */
export class Photographer {
  readonly #options: PhotographerOptions;
  readonly #limit: Limit;
  readonly #settling = new Map<number, ReturnType<typeof setTimeout>>();
  readonly #waiting = new Turns(MAX_WAITING);
  readonly #stopping = new AbortController();
  #working: Promise<void> | undefined;

  constructor(options: PhotographerOptions) {
    this.#options = options;
    this.#limit = options.limits.limit(
      'page pictures',
      RATE,
      'Too many pictures of pages. Try again {wait}.',
    );
  }

  /** Takes a picture of the page soon, if it has none of its current version. */
  want(pageId: number): void {
    if (!this.#options.isOn || this.#stopping.signal.aborted) return;
    const known = this.#settling.get(pageId);
    if (known === undefined && this.#settling.size >= MAX_SETTLING) return;
    clearTimeout(known);
    const timer = setTimeout(() => {
      this.#settling.delete(pageId);
      void this.#queue(pageId).catch((error: unknown) => this.#report(error, pageId));
    }, SETTLE_MS);
    timer.unref();
    this.#settling.set(pageId, timer);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    for (const timer of this.#settling.values()) clearTimeout(timer);
    await this.#working;
  }

  async #queue(pageId: number): Promise<void> {
    const { db, browser, now } = this.#options;
    const page = await findPage(db, pageId);
    if (!page || !isOpen(page) || !browser.isAvailable) return;
    if (!needsPicture(await findPicture(db, pageId), page.version, now())) return;
    if (!this.#waiting.add(page.owner_id, pageId)) return;
    this.#working ??= this.#work();
  }

  async #work(): Promise<void> {
    const { signal } = this.#stopping;
    for (;;) {
      while (!this.#options.browser.isIdle && !signal.aborted) await Bun.sleep(BUSY_MS);
      const turn = signal.aborted ? undefined : this.#waiting.take();
      if (!turn) break;
      await this.#take(turn.pageId).catch((error: unknown) => this.#report(error, turn.pageId));
    }
    this.#working = undefined;
  }

  /** Takes the picture of a page again soon, if its records have changed. */
  takeAgain({ id, ownerId }: { id: number; ownerId: number }): void {
    if (this.#stopping.signal.aborted || !this.#options.browser.isAvailable) return;
    if (this.#waiting.add(ownerId, id)) this.#working ??= this.#work();
  }

  async #take(pageId: number): Promise<void> {
    const { db, now, readPublicRecords } = this.#options;
    const page = await findPage(db, pageId);
    if (!page || !isOpen(page)) return;
    const picture = await findPicture(db, pageId);
    const records = (await readPublicRecords(db, [page])).get(pageId);
    if (needsPicture(picture, page.version, now())) {
      await this.#limit.take(String(page.owner_id));
      if (await claimPicture(db, { pageId, version: page.version, now: now() }))
        await this.#takeFirst(page, records);
    } else if (picture && isOutdated(picture, records, now())) {
      await this.#limit.take(String(page.owner_id));
      if (await claimAgain(db, picture, now() + AGAIN_AFTER_MS)) await this.#visit(page, records);
    }
  }

  /** Takes the picture of a version that has none. */
  async #takeFirst(page: PageRow, records: PublicRecords | undefined): Promise<void> {
    const { db } = this.#options;
    try {
      const outcome = await this.#visit(page, records);
      if (outcome === 'not sent') await releaseClaim(db, page.id, page.version);
      if (outcome === 'nothing to see') await endClaim(db, page.id, page.version);
    } catch (error) {
      await releaseClaim(db, page.id, page.version);
      throw error;
    }
  }

  /** Opens the page as a stranger and keeps what it looks like. If that fails, the claim stays until it ends. */
  async #visit(
    page: PageRow,
    records: PublicRecords | undefined,
  ): Promise<'kept' | 'not sent' | 'nothing to see'> {
    const { browser, now, opening } = this.#options;
    const { owner_id: ownerId } = page;
    const { signal } = this.#stopping;
    const shown = watch(opening(page));
    // What changes from now on may be missing in the picture.
    const taken = { at: now(), showsRecords: (records?.count ?? 0) > 0 };
    const { screenshot } = await browser.visit({ ...shown.visit, ownerId, window: WINDOWS.desktop, signal });
    // The picture shows our error if the page was closed meanwhile, or the database was unavailable.
    if (!shown.isSent) return 'not sent';
    return screenshot && (await this.#keep(page, screenshot, taken)) ? 'kept' : 'nothing to see';
  }

  /** Encodes the picture again, because the browser has run the page and may send anything. False if it is not one. */
  async #keep(
    { id: pageId, version }: PageRow,
    screenshot: Uint8Array,
    { at: takenAt, showsRecords }: { at: number; showsRecords: boolean },
  ): Promise<boolean> {
    const { kept, onPicture } = this.#options;
    const size = { width: PICTURE_WIDTH, height: PICTURE_HEIGHT };
    const webp = await smallWebp(screenshot, { ...size, maxBytes: MAX_PAGE_PICTURE_BYTES });
    if (!webp) return false;
    const blob_key = `pictures/${pageId}-${takenAt.toString(36)}`;
    await kept.keepSome([{ key: blob_key, content: webp }], async (tx, take) => {
      // Lock the page, so that it cannot be deleted meanwhile, without this picture.
      if (!(await lockPage(tx, pageId))) return;
      const before = await findPicture(tx, pageId);
      const shows_records = showsRecords ? 1 : 0;
      const row = { pageId, version, blob_key, size: webp.length, created_at: takenAt, shows_records };
      if (!(await savePicture(tx, { ...row, width: PICTURE_WIDTH, height: PICTURE_HEIGHT }))) return;
      await take([blob_key]);
      if (before?.blob_key) await kept.release(tx, [before.blob_key]);
    });
    onPicture(pageId);
    return true;
  }

  #report(error: unknown, pageId: number): void {
    if (this.#stopping.signal.aborted) return;
    if (error instanceof AppError && error.code === 'RATE_LIMITED') return;
    this.#options.log.warn({ err: error, page: pageId }, 'a picture of a page could not be taken');
  }
}

/** Records whether the browser got the page. */
function watch(visit: ReturnType<PhotographerOptions['opening']>) {
  const watched = {
    isSent: false,
    visit: {
      ...visit,
      intercept: (request: Request) =>
        visit.intercept?.(request)?.then((response) => {
          watched.isSent ||= response.ok;
          return response;
        }),
    },
  };
  return watched;
}
