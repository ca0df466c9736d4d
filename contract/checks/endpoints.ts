import { endpoint, endpoints } from '../endpoint.ts';
import { binary, idOrSlugParams } from '../fields.ts';
import { CheckBody, PageCheck, screenshotParams } from './page-check.ts';

export const checkEndpoints = endpoints({
  checkPage: endpoint({
    method: 'POST',
    path: '/api/pages/:id/check',
    failures: ['NOT_INSTALLED'],
    access: { kind: 'management', scope: 'pages:read' },
    summary: 'Open a page in a browser and report what happens',
    params: idOrSlugParams,
    body: CheckBody,
    bodyOptional: true,
    response: PageCheck,
  }),
  getScreenshot: endpoint({
    method: 'GET',
    path: '/screenshots/:file',
    answers: [{ status: 200, description: 'The picture.', type: 'image/png', schema: binary }],
    access: { kind: 'public' },
    summary: 'A screenshot of a check',
    params: screenshotParams,
  }),
});
