import { endpoint, endpoints } from '../../endpoint.ts';
import { PAGE_BODY_LIMIT } from '../pages.ts';
import { AnonymousPage, PublishedAnonymously } from './anonymous.ts';

export const anonymousEndpoints = endpoints({
  publishAnonymously: endpoint({
    method: 'POST',
    path: '/api/publish',
    failures: ['RATE_LIMITED', 'UNAVAILABLE'],
    access: { kind: 'public' },
    summary: 'Publish a page for 24 hours without an account, where the server allows it',
    body: AnonymousPage,
    bodyLimit: PAGE_BODY_LIMIT,
    stores: true,
    status: 201,
    response: PublishedAnonymously,
  }),
});
