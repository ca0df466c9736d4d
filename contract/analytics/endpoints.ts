import { endpoint, endpoints } from '../endpoint.ts';
import { idOrSlugParams } from '../fields.ts';
import {
  AnalyticsQuery,
  ErrorReport,
  errorParams,
  OtherVisitors,
  PageAnalytics,
  PageErrorList,
} from './analytics.ts';
import { MAX_ERROR_REPORT } from './limits.ts';

const READ = { kind: 'management', scope: 'pages:read' } as const;
const WRITE = { kind: 'management', scope: 'pages:write' } as const;
const ERRORS = '/api/pages/:id/errors';

export const analyticsEndpoints = endpoints({
  reportPageError: endpoint({
    method: 'POST',
    path: ERRORS,
    access: { kind: 'visitor or guest' },
    summary:
      'Report an error in a visitor’s browser, as pages do by themselves. At most 30 a minute per address and 300 per page',
    params: idOrSlugParams,
    body: ErrorReport,
    bodyLimit: MAX_ERROR_REPORT,
    status: 204,
  }),
  getPageAnalytics: endpoint({
    method: 'GET',
    path: '/api/pages/:id/analytics',
    access: READ,
    summary: 'Views, visitors, referrers, used features and errors of a page, compared with the time before',
    params: idOrSlugParams,
    query: AnalyticsQuery,
    response: PageAnalytics,
  }),
  countOtherVisitors: endpoint({
    method: 'GET',
    path: '/api/pages/:id/analytics/visitors',
    access: READ,
    summary: 'Count the visitors of a page today, without you',
    params: idOrSlugParams,
    response: OtherVisitors,
  }),
  listPageErrors: endpoint({
    method: 'GET',
    path: ERRORS,
    access: READ,
    summary: 'List the errors in visitors’ browsers of the last 30 days, the most recent first',
    params: idOrSlugParams,
    response: PageErrorList,
  }),
  resolvePageErrors: endpoint({
    method: 'DELETE',
    path: ERRORS,
    access: WRITE,
    changes: 'nothing',
    summary: 'Remove all errors in visitors’ browsers from the list. One that happens again is listed again',
    params: idOrSlugParams,
    status: 204,
  }),
  resolvePageError: endpoint({
    method: 'DELETE',
    path: `${ERRORS}/:fingerprint`,
    access: WRITE,
    changes: 'nothing',
    summary: 'Remove one error from the list. If it happens again, it is listed again',
    params: errorParams,
    status: 204,
  }),
});
