import { CheckBody, PageCheck, screenshotParams } from '../../../contract/checks/page-check.ts';
import { binary, idOrSlugParams } from '../../../contract/fields.ts';
import { type Route, route, signedIn } from '../../platform/http/index.ts';
import { checkPage } from './check.ts';
import type { ChecksContext } from './context.ts';
import { sendScreenshot } from './screenshots.ts';

export function checkRoutes(context: ChecksContext): Route[] {
  return [
    route({
      method: 'POST',
      path: '/api/pages/:id/check',
      operationId: 'checkPage',
      failures: ['NOT_INSTALLED'],
      access: { kind: 'management', scope: 'pages:read' },
      summary: 'Open a page in a browser and report what happens',
      params: idOrSlugParams,
      body: CheckBody,
      bodyOptional: true,
      response: PageCheck,
      handle: ({ params, body, actor, request }) =>
        checkPage(context, signedIn(actor), params.id, body, request.signal),
    }),
    route({
      method: 'GET',
      path: '/screenshots/:file',
      operationId: 'getScreenshot',
      answers: [{ status: 200, description: 'The picture.', type: 'image/png', schema: binary }],
      access: { kind: 'public' },
      summary: 'A screenshot of a check',
      params: screenshotParams,
      handle: ({ params }) => sendScreenshot(context, params.file),
    }),
  ];
}
