import { endpoint, endpoints } from '../endpoint.ts';
import { binary, Done, idOrSlugParams } from '../fields.ts';
import { ADMIN_SCOPE } from '../scopes.ts';
import { REPORTS_PER_DAY, REPORTS_PER_HOUR } from './limits.ts';
import {
  AdminReportList,
  AdminReportQuery,
  AnswerReport,
  adminReportParams,
  DismissReport,
  NewReport,
  OwnReport,
  OwnReportList,
  ownReportParams,
  ReportSent,
  reportPictureParams,
} from './reports.ts';

const ADMIN = { kind: 'management', scope: ADMIN_SCOPE } as const;
const MAX_REPORT_BODY = 64 * 1024;

export const reportEndpoints = endpoints({
  reportPage: endpoint({
    method: 'POST',
    path: '/api/reports',
    // Nobody has to be logged in. Requests from other origins are refused: no page reports others in its visitors' names.
    access: { kind: 'account door' },
    stores: true,
    summary: `Report a page to the administrators, without logging in. At most ${REPORTS_PER_HOUR} an hour and ${REPORTS_PER_DAY} a day per address`,
    body: NewReport,
    bodyLimit: MAX_REPORT_BODY,
    status: 201,
    response: ReportSent,
    failures: ['NOT_FOUND', 'CONFLICT', 'QUOTA_EXCEEDED', 'RATE_LIMITED'],
  }),
  listReports: endpoint({
    method: 'GET',
    path: '/api/admin/reports',
    access: ADMIN,
    summary: 'List reports of pages, the newest first',
    query: AdminReportQuery,
    response: AdminReportList,
  }),
  dismissReport: endpoint({
    method: 'POST',
    path: '/api/admin/reports/:id/dismiss',
    access: ADMIN,
    summary: 'Dismiss a report, or all open reports of its page: nothing is wrong with the page',
    params: adminReportParams,
    body: DismissReport,
    bodyOptional: true,
    response: Done,
    failures: ['CONFLICT'],
  }),
  getReportPicture: endpoint({
    method: 'GET',
    path: '/report-pictures/:file',
    access: { kind: 'public' },
    summary: 'A picture of a page, taken when it was reported. Only administrators learn its address',
    params: reportPictureParams,
    answers: [{ status: 200, description: 'The picture.', type: 'image/webp', schema: binary }],
  }),
  listOwnReports: endpoint({
    method: 'GET',
    path: '/api/pages/:id/reports',
    access: { kind: 'management', scope: 'pages:read' },
    summary: 'List the reports of your page, the newest first; not who sent them',
    params: idOrSlugParams,
    response: OwnReportList,
  }),
  answerReport: endpoint({
    method: 'POST',
    path: '/api/pages/:id/reports/:reportId/answer',
    access: { kind: 'management', scope: 'pages:write' },
    changes: 'nothing',
    summary: 'Answer a report of your page. Administrators see it. Another answer replaces it',
    params: ownReportParams,
    body: AnswerReport,
    response: OwnReport,
    failures: ['CONFLICT'],
  }),
});
