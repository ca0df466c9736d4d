import type { DailySalt } from './daily-salt.ts';
import type { ReportContext } from './errors/report.ts';
import type { Traffic } from './traffic.ts';

/** The dependencies of the analytics slice. */
export interface AnalyticsContext extends ReportContext {
  traffic: Traffic;
  salt: Pick<DailySalt, 'read'>;
}
