import { z } from 'zod';
import { slugParams, TestedCall } from '../../../../contract/functions.ts';
import { bearerOf, type Route, route, signedIn } from '../../../platform/http/index.ts';
import { createOwn, requireScope, WRITE } from '../access.ts';
import type { FunctionsContext } from '../context.ts';
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

/**
 * A call by the owner, with what happened in it. A token needs the scope to call functions, and the one to read their
 * output.
 */
export function testRoute({ calls, db }: Pick<FunctionsContext, 'calls' | 'db'>): Route {
  const own = createOwn(db);
  return route({
    method: 'POST',
    path: '/api/functions/:slug/test',
    operationId: 'testFunction',
    bodyType: '*/*',
    bodySchema: z.unknown(),
    bodyOptional: true,
    access: WRITE,
    failures: ['RATE_LIMITED', 'PAYLOAD_TOO_LARGE'],
    summary: 'Call your function as others do, and see what it printed and threw',
    params: slugParams,
    response: TestedCall,
    async handle({ params, request, address, requestId, actor }) {
      requireScope(signedIn(actor), 'functions:read');
      const { id } = await own(params.slug, actor);
      const path = `/${new URL(request.url).search}`;
      return calls.test(id, request, path, { address, bearer: undefined, requestId });
    },
  });
}
