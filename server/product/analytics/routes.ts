import { analyticsEndpoints } from '../../../contract/analytics/endpoints.ts';
import { MAX_PAGE_ERRORS } from '../../../contract/analytics/limits.ts';
import { notFound } from '../../lib/errors.ts';
import { type Actor, handle, type Route } from '../../platform/http/index.ts';
import type { AnalyticsContext } from './context.ts';
import { reportError } from './errors/report.ts';
import { deleteErrors, listErrors } from './errors/store.ts';
import { countOthers } from './other-visitors.ts';
import { readAnalytics } from './report.ts';
import { toPageError } from './wire.ts';

export function analyticsRoutes(context: AnalyticsContext): Route[] {
  return [reportRoute(context), ...readRoutes(context), ...resolveRoutes(context)];
}

function reportRoute(context: AnalyticsContext): Route {
  return handle(
    analyticsEndpoints.reportPageError,
    async ({ params, body, caller, address, pageHost, request }) => {
      const userAgent = request.headers.get('user-agent') ?? '';
      await reportError(context, body, { idOrSlug: params.id, caller, address, pageHost, userAgent });
    },
  );
}

/** Returns the page if the caller has the right, after writing all counts to the database. */
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
    handle(analyticsEndpoints.getPageAnalytics, async ({ params, query, actor }) => {
      const page = await demand(context, params.id, actor, 'read');
      return readAnalytics(db, page.id, query.range, now());
    }),
    handle(analyticsEndpoints.countOtherVisitors, async ({ params, actor, request, address }) => {
      const page = await demand(context, params.id, actor, 'read');
      const userAgent = request.headers.get('user-agent') ?? '';
      return { today: await countOthers(context, page.id, { userAgent, address }) };
    }),
    handle(analyticsEndpoints.listPageErrors, async ({ params, actor }) => {
      const page = await demand(context, params.id, actor, 'read');
      return { errors: (await listErrors(db, page.id, MAX_PAGE_ERRORS)).map(toPageError) };
    }),
  ];
}

function resolveRoutes(context: AnalyticsContext): Route[] {
  const { db } = context;
  return [
    handle(analyticsEndpoints.resolvePageErrors, async ({ params, actor }) => {
      const page = await demand(context, params.id, actor, 'write');
      await deleteErrors(db, page.id);
    }),
    handle(analyticsEndpoints.resolvePageError, async ({ params, actor }) => {
      const page = await demand(context, params.id, actor, 'write');
      if ((await deleteErrors(db, page.id, params.fingerprint)) === 0)
        throw notFound('This error was not found.');
    }),
  ];
}
