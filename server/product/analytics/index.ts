import type { PageError } from '../../../contract/analytics/analytics.ts';
import {
  ERROR_REPORTS_PER_ADDRESS,
  ERROR_REPORTS_PER_PAGE,
  ERRORS_KEPT_DAYS,
} from '../../../contract/analytics/limits.ts';
import { AppError } from '../../lib/errors.ts';
import type { Purge } from '../../lib/loops/sweeper.ts';
import type { Limits } from '../../platform/coordination/limits/index.ts';
import type { Log, Route } from '../../platform/http/index.ts';
import type { Db } from '../../platform/storage/index.ts';
import type { PageDirectory } from '../ports.ts';
import type { AnalyticsContext } from './context.ts';
import { DailySalt } from './daily-salt.ts';
import { reportCall } from './errors/report.ts';
import { rememberSources } from './errors/sources.ts';
import { deleteErrorsBefore, findError } from './errors/store.ts';
import { DAY_MS, DAYS_KEPT_MS, floorToDay, floorToHour, HOURS_KEPT_MS } from './limits.ts';
import { listDayViews } from './recent/store.ts';
import { analyticsRoutes } from './routes.ts';
import { deleteBefore, forgetSketches, sumHours } from './store.ts';
import { Traffic } from './traffic.ts';
import { toPageError } from './wire.ts';

/** Whether a row is the salt of the day, which backups leave out. */
export { isDailySalt } from './daily-salt.ts';
/** Exports the analytics of pages. */
export { exportAnalytics } from './privacy/export.ts';

const MINUTE_SECONDS = 60;

/** How pages are used: views, visitors, referrers, features, and errors in visitors' browsers. */
export interface Analytics {
  routes: Route[];
  /** Counts what happens on pages. */
  traffic: Pick<Traffic, 'loaded' | 'featureUsed'>;
  /** Views and errors of each of these pages since a moment, in whole hours. */
  since(pageIds: number[], moment: number): ReturnType<typeof sumHours>;
  /** The views of each of these pages on each of the last days; pages without any are left out. */
  daily(pageIds: number[], days: number): Promise<Array<{ pageId: number; views: number[] }>>;
  /** Who came to each of these pages in the last minutes. */
  recent(pageIds: number[]): Promise<Map<number, number>>;
  /** Counts a call of a function of a page that failed, and keeps it if errors of the page are repaired. */
  callFailed(call: Parameters<typeof reportCall>[1]): void;
  /** An error of a page, with what led to it. */
  findError(pageId: number, fingerprint: string): Promise<PageError | undefined>;
  purge: Purge;
  stop(): Promise<void>;
}

interface AnalyticsOptions {
  db: Db;
  log: Log;
  now: () => number;
  config: { baseUrl: string; pagesHost: string | undefined };
  limits: Limits;
  pages: PageDirectory;
  deviceName: AnalyticsContext['deviceName'];
  readSource: AnalyticsContext['readSource'];
}

export function createAnalytics(options: AnalyticsOptions): Analytics {
  const { db, now, config, limits, pages } = options;
  const salt = new DailySalt(options);
  const traffic = new Traffic({ ...options, salt, isOwnHost: ownHosts(config), existing: pages.existing });
  const limit = (name: string, points: number, sentence: string) =>
    limits.limit(name, { points, seconds: MINUTE_SECONDS }, sentence);
  const context: AnalyticsContext & { log: Log } = {
    ...options,
    readSource: rememberSources(options.readSource, now),
    baseUrl: config.baseUrl,
    traffic,
    salt,
    limits: {
      perAddress: limit(
        'page errors by address',
        ERROR_REPORTS_PER_ADDRESS,
        'You have reported too many errors. Try again {wait}.',
      ),
      perPage: limit(
        'page errors by page',
        ERROR_REPORTS_PER_PAGE,
        'This page has reported too many errors. Try again {wait}.',
      ),
    },
  };
  return {
    routes: analyticsRoutes(context),
    traffic,
    async since(pageIds, moment) {
      await traffic.flushIfPossible();
      return sumHours(db, pageIds, floorToHour(moment));
    },
    async daily(pageIds, days) {
      await traffic.flushIfPossible();
      const start = floorToDay(now()) - (days - 1) * DAY_MS;
      const rows = await listDayViews(db, pageIds, start);
      const pagesSeen = Map.groupBy(rows, ({ page_id }) => page_id);
      return [...pagesSeen].map(([pageId, seen]) => ({ pageId, views: spread(seen, start, days) }));
    },
    async recent(pageIds) {
      await traffic.flushIfPossible();
      return traffic.countRecent(pageIds);
    },
    ...serveRepairs(context),
    async purge() {
      await salt.purge();
      await forgetSketches(db, floorToDay(now()));
      await deleteBefore(db, {
        hour: floorToHour(now()) - HOURS_KEPT_MS,
        day: floorToDay(now()) - DAYS_KEPT_MS,
      });
      await deleteErrorsBefore(db, now() - ERRORS_KEPT_DAYS * DAY_MS);
    },
    stop: () => traffic.stop(),
  };
}

/** What repairs of errors need. */
function serveRepairs(context: AnalyticsContext & { log: Log }): Pick<Analytics, 'callFailed' | 'findError'> {
  const { db, traffic, log } = context;
  return {
    callFailed(call) {
      reportCall(context, call).catch((error: unknown) => {
        // A page that reports too much is left alone.
        if (!(error instanceof AppError)) log.warn({ err: error }, 'a failed call was not counted');
      });
    },
    async findError(pageId, fingerprint) {
      await traffic.flushIfPossible();
      const row = await findError(db, pageId, fingerprint);
      return row && toPageError(row);
    },
  };
}

/** One number for each day. */
function spread(rows: Array<{ day: number; views: number }>, start: number, days: number): number[] {
  const views = Array.from({ length: days }, () => 0);
  for (const row of rows) views[(row.day - start) / DAY_MS] = row.views;
  return views;
}

/** Whether a host is the service or the host of one of its pages. */
function ownHosts({ baseUrl, pagesHost }: AnalyticsOptions['config']): (host: string) => boolean {
  const base = new URL(baseUrl).hostname.replace(/^www\./, '');
  const ending = pagesHost === undefined ? undefined : `.${pagesHost.replace(/:\d+$/, '')}`;
  return (host) => host === base || (ending !== undefined && host.endsWith(ending));
}
