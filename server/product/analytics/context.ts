import type { ReportContext } from './errors/report.ts';
import type { Traffic } from './traffic.ts';

/** What the operations of this slice need. */
export interface AnalyticsContext extends ReportContext {
  traffic: Traffic;
}
