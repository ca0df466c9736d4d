import type { AdminReport, OwnReport } from '../../../contract/reports/reports.ts';
import { reportPicturePath } from '../../../contract/reports/reports.ts';
import { toTimestamp } from '../../lib/timestamp.ts';
import type { ReportRow } from '../../platform/storage/index.ts';
import type { ReportsContext } from './context.ts';

/** Rows as the wire shapes of `contract/reports/reports.ts`. */

/** A report without anything about who sent it. */
export const toOwnReport = (row: ReportRow): OwnReport => ({
  id: row.id,
  reason: row.reason,
  text: row.text,
  createdAt: toTimestamp(row.created_at),
  state: row.state,
  answer: row.answer === null ? null : { text: row.answer, at: toTimestamp(row.answered_at ?? 0) },
});

type Described = Awaited<ReturnType<ReportsContext['describePages']>>;
type OfDescribed = Described extends Map<number, infer Value> ? Value : never;

export const toAdminReport = (
  row: ReportRow,
  { page, version }: OfDescribed,
  picture: string | undefined,
): AdminReport => ({
  ...toOwnReport(row),
  page,
  hasChanged: version !== row.version,
  contact: row.contact,
  closedAt: row.closed_at === null ? null : toTimestamp(row.closed_at),
  picture: picture === undefined ? null : reportPicturePath(picture),
});
