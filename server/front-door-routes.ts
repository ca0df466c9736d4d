import { z } from 'zod';
import { CacheHeaders } from '../contract/service.ts';
import type { RouteDescription } from './platform/http/index.ts';

/** What the front door answers without the routes, for the API's description. */
export const FRONT_DOOR_ROUTES: RouteDescription[] = [
  {
    method: 'GET',
    path: '/p/:slug',
    access: { kind: 'served page' },
    operationId: 'viewPage',
    summary: 'A published page',
    params: z.object({ slug: z.string().meta({ maxLength: 100 }) }),
    headers: CacheHeaders,
    answers: [
      { status: 200, description: 'The document.', type: 'text/html', headers: ['ETag'] },
      { status: 301, description: 'The page has another slug now.', headers: ['Location'] },
      { status: 302, description: 'The page is on a host of its own.', headers: ['Location'] },
      { status: 304, description: 'The version that you have is current.', headers: ['ETag'] },
    ],
  },
];
