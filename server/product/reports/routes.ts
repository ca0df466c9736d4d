import { done } from '../../../contract/fields.ts';
import { reportEndpoints } from '../../../contract/reports/endpoints.ts';
import { notFound } from '../../lib/errors.ts';
import { handle, type Route } from '../../platform/http/index.ts';
import { dismissReport, readReports } from './administer.ts';
import type { ReportsContext } from './context.ts';
import { answerReport, readOwnReports } from './own-reports.ts';
import { readPicture } from './pictures.ts';
import { reportScreens } from './screens.ts';
import { sendReport } from './send.ts';

export function reportRoutes(context: ReportsContext): Route[] {
  return [
    ...reportScreens(context),
    handle(reportEndpoints.reportPage, ({ body, address }) => sendReport(context, body, address)),
    ...adminRoutes(context),
    handle(reportEndpoints.listOwnReports, ({ params, actor }) => readOwnReports(context, actor, params.id)),
    handle(reportEndpoints.answerReport, ({ params, body, actor, address }) =>
      answerReport(context, { actor, address }, params, body.text),
    ),
  ];
}

const PICTURE_HEADERS = {
  'content-type': 'image/webp',
  'cache-control': 'private, no-store',
  'x-content-type-options': 'nosniff',
  'x-robots-tag': 'noindex',
  'content-security-policy': "default-src 'none'; sandbox",
  'referrer-policy': 'no-referrer',
};

function adminRoutes(context: ReportsContext): Route[] {
  return [
    handle(reportEndpoints.listReports, ({ query }) => readReports(context, query)),
    handle(reportEndpoints.dismissReport, async ({ params, body, actor, address }) => {
      const count = await dismissReport(context, { actor, address }, params.id, body.all);
      return done(count === 1 ? 'The report is dismissed.' : `${count} reports are dismissed.`);
    }),
    handle(reportEndpoints.getReportPicture, async ({ params }) => {
      const bytes = await readPicture(context, params.file.replace('.webp', ''));
      if (!bytes) throw notFound('This picture was not found.');
      return new Response(bytes as Uint8Array<ArrayBuffer>, { headers: PICTURE_HEADERS });
    }),
  ];
}
