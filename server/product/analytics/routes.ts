import {
  AnalyticsQuery,
  ErrorReport,
  errorParams,
  PageAnalytics,
  PageErrorList,
} from '../../../contract/analytics/analytics.ts';
import { MAX_ERROR_REPORT, MAX_PAGE_ERRORS } from '../../../contract/analytics/limits.ts';
import { idOrSlugParams } from '../../../contract/fields.ts';
import { notFound } from '../../lib/errors.ts';
import { type Actor, type Route, route } from '../../platform/http/index.ts';
import type { AnalyticsContext } from './context.ts';
import { reportError } from './errors/report.ts';
import { deleteErrors, listErrors } from './errors/store.ts';
import { readAnalytics } from './report.ts';
import { toPageError } from './wire.ts';

const READ = { kind: 'management', scope: 'pages:read' } as const;
const WRITE = { kind: 'management', scope: 'pages:write' } as const;

const ERRORS = '/api/pages/:id/errors';

export function analyticsRoutes(context: AnalyticsContext): Route[] {
  return [reportRoute(context), ...readRoutes(context), ...resolveRoutes(context)];
}

function reportRoute(context: AnalyticsContext): Route {
  return route({
    method: 'POST',
    path: ERRORS,
    operationId: 'reportPageError',
    access: { kind: 'visitor or guest' },
    summary:
      'Report an error in a visitor’s browser, as pages do by themselves. At most 30 a minute per address and 300 per page',
    params: idOrSlugParams,
    body: ErrorReport,
    bodyLimit: MAX_ERROR_REPORT,
    status: 204,
    async handle({ params, body, caller, address, pageHost, request }) {
      const userAgent = request.headers.get('user-agent') ?? '';
      await reportError(context, body, { idOrSlug: params.id, caller, address, pageHost, userAgent });
    },
  });
}

/** Returns the page if the caller can do this, with everything that was counted until now in the database. */
async function demand(
  { db, pages, traffic }: AnalyticsContext,
  idOrSlug: string,
  actor: Actor | undefined,
  action: 'read' | 'write',
) {
  const page = await pages.require(db, await pages.find(db, idOrSlug), actor, action);
  await traffic.flushIfPossible();
  return page;
}

function readRoutes(context: AnalyticsContext): Route[] {
  const { db, now } = context;
  return [
    route({
      method: 'GET',
      path: '/api/pages/:id/analytics',
      operationId: 'getPageAnalytics',
      access: READ,
      summary:
        'Views, visitors, referrers, used features and errors of a page, compared with the time before',
      params: idOrSlugParams,
      query: AnalyticsQuery,
      response: PageAnalytics,
      async handle({ params, query, actor }) {
        const page = await demand(context, params.id, actor, 'read');
        return readAnalytics(db, page.id, query.range, now());
      },
    }),
    route({
      method: 'GET',
      path: ERRORS,
      operationId: 'listPageErrors',
      access: READ,
      summary: 'List the errors in visitors’ browsers of the last 30 days, the most recent first',
      params: idOrSlugParams,
      response: PageErrorList,
      async handle({ params, actor }) {
        const page = await demand(context, params.id, actor, 'read');
        return { errors: (await listErrors(db, page.id, MAX_PAGE_ERRORS)).map(toPageError) };
      },
    }),
  ];
}

function resolveRoutes(context: AnalyticsContext): Route[] {
  const { db } = context;
  return [
    route({
      method: 'DELETE',
      path: ERRORS,
      operationId: 'resolvePageErrors',
      access: WRITE,
      summary:
        'Remove all errors in visitors’ browsers from the list. One that happens again is listed again',
      params: idOrSlugParams,
      status: 204,
      async handle({ params, actor }) {
        const page = await demand(context, params.id, actor, 'write');
        await deleteErrors(db, page.id);
      },
    }),
    route({
      method: 'DELETE',
      path: `${ERRORS}/:fingerprint`,
      operationId: 'resolvePageError',
      access: WRITE,
      summary: 'Remove one error from the list. If it happens again, it is listed again',
      params: errorParams,
      status: 204,
      async handle({ params, actor }) {
        const page = await demand(context, params.id, actor, 'write');
        if ((await deleteErrors(db, page.id, params.fingerprint)) === 0) throw notFound('This error');
      },
    }),
  ];
}
