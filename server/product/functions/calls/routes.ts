import { z } from 'zod';
import { slugParams } from '../../../../contract/functions.ts';
import { bearerOf, type Route, route } from '../../../platform/http/index.ts';
import { CALL_ANSWERS } from './answers.ts';
import type { Calls } from './call.ts';

/**
 * Calls as the reference and preflights describe them, and as agents' tools make them. The front door passes other
 * callers to the same `calls` without a router.
 */
export function callRoute({ calls }: { calls: Calls }): Route {
  return route({
    method: 'POST',
    path: '/api/functions/:slug',
    operationId: 'callFunction',
    bodyType: '*/*',
    bodySchema: z.unknown(),
    bodyOptional: true,
    ...CALL_ANSWERS,
    access: { kind: 'public to pages' },
    summary: 'Call a function: the body and query reach it, its answer comes back',
    params: slugParams,
    handle: ({ params, request, address, requestId }) =>
      calls.call(
        request,
        { slug: params.slug, path: `/${new URL(request.url).search}` },
        { address, bearer: bearerOf(request), requestId },
      ),
  });
}
