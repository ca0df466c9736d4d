import { REPORT_DAYS, REPORTS_PER_HOUR } from '../../../contract/reports/limits.ts';
import type { Limits } from '../../platform/coordination/limits/index.ts';
import type { Log, Route } from '../../platform/http/index.ts';
import type { Tx } from '../../platform/storage/index.ts';
import { upholdReports } from './administer.ts';
import type { ReportsContext } from './context.ts';
import { purgeReports, ReportPictures } from './pictures.ts';
import { reportRoutes } from './routes.ts';
import { countOpen, countOpenOfPages } from './store.ts';

/** Where the bytes of pictures are stored, and how a page's are deleted with it. */
export { removePicturesWithPage, reportPictureKey } from './pictures.ts';
/** Exports the reports of a page. */
export { exportReports } from './privacy/export.ts';

/** Reports: visitors say that a page should not be there, and administrators decide. */
export interface ReportsSlice {
  routes: Route[];
  /** Upholds the open reports of a page that is taken down. */
  uphold(tx: Tx, pageId: number): Promise<void>;
  countOpen(): Promise<number>;
  /** The open reports of these pages, those with most first. */
  countOfPages(pageIds: number[]): Promise<Array<{ pageId: number; reports: number }>>;
  /** Deletes old reports. */
  purge(isStopping: () => boolean): Promise<void>;
  stop(): Promise<void>;
}

const HOUR_SECONDS = 3600;

export function createReports(
  options: Omit<ReportsContext, 'perHour' | 'pictures' | 'pagesHost'> & {
    config: { pagesHost: string | undefined };
    limits: Limits;
    log: Log;
    photograph: ConstructorParameters<typeof ReportPictures>[0]['photograph'];
  },
): ReportsSlice {
  const { config, limits, db, now } = options;
  const pictures = new ReportPictures(options);
  const perHour = limits.limit(
    'reports by address',
    { points: REPORTS_PER_HOUR, seconds: HOUR_SECONDS },
    'You have sent too many reports. Try again {wait}.',
  );
  const context: ReportsContext = { ...options, pagesHost: config.pagesHost, pictures, perHour };
  return {
    routes: reportRoutes(context),
    uphold: upholdReports(context),
    countOpen: () => countOpen(db),
    countOfPages: (pageIds) => countOpenOfPages(db, pageIds),
    purge: (isStopping) => purgeReports(options, { now: now(), days: REPORT_DAYS, isStopping }),
    stop: () => pictures.stop(),
  };
}
