import { setImmediate } from 'node:timers/promises';
import type { Log, Visit } from '../../platform/http/index.ts';
import { type Db, FlushLoop, type Tx } from '../../platform/storage/index.ts';
import { isBot } from './bots.ts';
import { Browsers, visitorHash } from './browsers.ts';
import { CoarseClock } from './coarse-clock.ts';
import type { DailySalt } from './daily-salt.ts';
import type { Reported } from './errors/store.ts';
import {
  FLUSH_EVERY_MS,
  floorToDay,
  floorToHour,
  MAX_LOADS_LOOKED_AT,
  MAX_VISITORS_WAITING,
} from './limits.ts';
import {
  addFeature,
  addPath,
  addReferrer,
  addVisitor,
  type Batch,
  type PageCounts,
  Pending,
} from './pending.ts';
import { RecentVisitors } from './recent/recent-visitors.ts';
import { isSameHost, ReferrerHosts } from './referrers.ts';
import { writeCounts } from './write.ts';

interface TrafficOptions {
  db: Db;
  log: Log;
  now: () => number;
  salt: Pick<DailySalt, 'read'>;
  /** Whether a host is one of the service, of its pages or of the page itself. */
  isOwnHost(host: string): boolean;
  /** The pages that still exist. They cannot be deleted until this transaction ends. */
  existing(tx: Tx, pageIds: number[]): Promise<Set<number>>;
}

/** Pages in one transaction. SQLite works in this thread, so other requests get their turn after each. */
const PAGES_PER_WRITE = 20;

/**
 * Counts loads, features and errors in memory, and writes them in batches. Visitors and their hashes are not stored: a
 * sketch takes a few bits of each.
 */
export class Traffic {
  readonly #options: TrafficOptions;
  readonly #loop: FlushLoop;
  readonly #clock: CoarseClock;
  readonly #pending = new Pending();
  readonly #referrers = new ReferrerHosts();
  readonly #recent = new RecentVisitors();
  #browsers: Browsers | undefined;
  /** Visitors of a day whose salt is being read. They are nowhere else. */
  #waiting: Waiting[] = [];
  #saltIsRead: Promise<void> | undefined;

  constructor(options: TrafficOptions) {
    this.#options = options;
    this.#clock = new CoarseClock(options.now);
    this.#loop = new FlushLoop({
      everyMs: FLUSH_EVERY_MS,
      write: () => this.#write(),
      log: options.log,
      failure: 'page statistics could not be written; they are kept for the next try',
    });
  }

  /**
   * A browser has loaded a document of a page. `path` is its file; empty for the page's own document. This is part of
   * the hottest path of the service: it reads two headers, and the address only if a person may have come and the page
   * has few loads, because Bun asks the system for it.
   */
  loaded(pageId: number, { headers }: Request, visit: LoadVisit, path = ''): void {
    const clock = this.#clock;
    clock.turnTo(visit.startedAt ?? performance.now());
    const counts = this.#pending.of(pageId, clock.hour);
    if (!counts) return;
    counts.views++;
    if (path !== '') addPath(counts, path, 1);
    const userAgent = headers.get('user-agent');
    if (userAgent === null) return;
    const isLookedAt = counts.lookedAt < MAX_LOADS_LOOKED_AT;
    if (this.#browsers?.day === clock.day) {
      const browser = this.#browsers.find(userAgent);
      if (browser === null) return;
      counts[browser.device]++;
      if (isLookedAt) addVisitor(counts, visitorHash(browser.seed, visit.address));
    } else {
      if (isBot(userAgent)) return;
      if (isLookedAt) this.#wait({ pageId, hour: clock.hour, userAgent, address: visit.address });
    }
    counts.lookedAt++;
    const referer = headers.get('referer');
    if (referer === null) counts.direct++;
    else this.#cameFrom(counts, referer, headers);
  }

  /** Counts a use of a feature by a visitor, who paid these tokens. */
  featureUsed(pageId: number, feature: string, tokens: number): void {
    const counts = this.#pending.of(pageId, floorToHour(this.#options.now()));
    if (counts) addFeature(counts, feature, 1, tokens);
  }

  /** Counts an error that a browser has reported. */
  failed(pageId: number, error: Reported): void {
    const counts = this.#pending.of(pageId, floorToHour(error.last_at));
    if (counts) this.#pending.addError(counts, error);
  }

  /** Writes the counts so far. If the storage fails, they stay pending. */
  flushIfPossible(): Promise<void> {
    return this.#loop.flushIfPossible();
  }

  /** Who came to each of these pages in the last minutes, as far as it is written. */
  countRecent(pageIds: number[]): Map<number, number> {
    return this.#recent.count(pageIds, this.#options.now());
  }

  stop(): Promise<void> {
    return this.#loop.stop();
  }

  #cameFrom(counts: PageCounts, referer: string, headers: Headers): void {
    const host = this.#referrers.of(referer);
    if (host === undefined) counts.direct++;
    // Do not count links from one document of the service to another.
    else if (!this.#options.isOwnHost(host) && !isSameHost(headers.get('host'), host))
      addReferrer(counts, host, 1);
  }

  async #write(): Promise<void> {
    this.#clock.forget();
    await this.#saltIsRead;
    const batches = this.#pending.take();
    // Write in the order of ids, so that two nodes that write at the same time cannot deadlock.
    const writes = batches.flatMap(({ hour, pages }) =>
      inParts(
        hour,
        [...pages].sort(([a], [b]) => a - b),
      ),
    );
    for (const [at, { hour, pages }] of writes.entries()) {
      try {
        await writeCounts(this.#options, hour, pages);
      } catch (error) {
        for (const batch of writes.slice(at)) this.#pending.putBack(batch);
        throw error;
      }
      this.#recent.add({ pages }, this.#options.now());
      await setImmediate();
    }
  }

  #wait(waiting: Waiting): void {
    if (this.#waiting.length < MAX_VISITORS_WAITING) this.#waiting.push(waiting);
    this.#saltIsRead ??= this.#readSalt(floorToDay(waiting.hour)).finally(() => {
      this.#saltIsRead = undefined;
    });
  }

  /** Reads the salt of a day. While the database is unavailable, visitors are not counted. */
  async #readSalt(day: number): Promise<void> {
    const value = await this.#options.salt.read(day).catch(() => undefined);
    const waiting = this.#waiting;
    this.#waiting = [];
    if (value === undefined) return;
    const browsers = new Browsers(day, value);
    this.#browsers = browsers;
    for (const { pageId, hour, userAgent, address } of waiting) {
      const counts = floorToDay(hour) === day ? this.#pending.of(pageId, hour) : undefined;
      const browser = browsers.find(userAgent);
      if (!counts || browser === null) continue;
      counts[browser.device]++;
      addVisitor(counts, visitorHash(browser.seed, address));
    }
  }
}

function inParts(hour: number, pages: Array<[number, PageCounts]>): Batch[] {
  return Array.from({ length: Math.ceil(pages.length / PAGES_PER_WRITE) }, (_, part) => ({
    hour,
    pages: new Map(pages.slice(part * PAGES_PER_WRITE, (part + 1) * PAGES_PER_WRITE)),
  }));
}

type LoadVisit = Pick<Visit, 'address' | 'startedAt'>;

interface Waiting {
  pageId: number;
  hour: number;
  userAgent: string;
  address: string;
}
