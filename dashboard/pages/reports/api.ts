import { reportEndpoints } from '../../../contract/reports/endpoints.ts';
import { call } from '../../api.ts';

/** The endpoints that owners of reported pages use. */

export type { OwnReport } from '../../../contract/reports/reports.ts';

export const listOwnReports = async (id: number, signal: AbortSignal) =>
  (await call(reportEndpoints.listOwnReports, { params: { id }, signal })).reports;

export const answerReport = (id: number, reportId: string, text: string) =>
  call(reportEndpoints.answerReport, { params: { id, reportId }, body: { text } });
