import { z } from 'zod';
import { idOrSlugParams } from '../../../../contract/fields.ts';
import { CallTicket, CallTicketRequest } from '../../../../contract/functions/callers.ts';
import { slugParams, TestedCall } from '../../../../contract/functions/functions.ts';
import { notFound } from '../../../lib/errors.ts';
import { bearerOf, type Route, route, signedIn } from '../../../platform/http/index.ts';
import { createOwn, requireScope, WRITE } from '../access.ts';
import { assertNotBlocked } from '../administration/block.ts';
import type { FunctionsContext } from '../context.ts';
import { CALL_ANSWERS } from './answers.ts';
import type { Calls } from './call.ts';
import { CALL_TICKET_SECONDS } from './call-tickets.ts';
import { isFromPageOf } from './who-calls.ts';

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
    handle: ({ params, request, address, requestId, pageHost }) =>
      calls.call(
        request,
        { slug: params.slug, path: `/${new URL(request.url).search}` },
        { address, bearer: bearerOf(request), requestId, pageHost },
      ),
  });
}

/** How a page learns where a function is, and gets a ticket that tells the function who its visitor is. */
export function ticketRoute(
  context: Pick<FunctionsContext, 'db' | 'pages' | 'registry' | 'whoCalls' | 'workerUrl'>,
): Route {
  const { db, pages, registry, whoCalls, workerUrl } = context;
  return route({
    method: 'POST',
    path: '/api/pages/:id/call-ticket',
    operationId: 'createCallTicket',
    access: { kind: 'visitor or guest' },
    summary:
      "Where a page calls a function, with a ticket that tells the page owner's function who its visitor is",
    params: idOrSlugParams,
    body: CallTicketRequest,
    response: CallTicket,
    async handle({ params, body, caller, request, pageHost }) {
      const page = await pages.see(db, await pages.find(db, params.id), caller);
      const called = await registry.bySlug(body.function);
      if (!called?.isPublic || called.block) throw notFound('This function');
      const ticket = whoCalls.ticketFor(called, page, caller, isFromPageOf(request, pageHost));
      return { url: workerUrl(called), ticket: ticket ?? null, expiresIn: CALL_TICKET_SECONDS };
    },
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
    failures: ['PAYLOAD_TOO_LARGE'],
    summary: 'Call your function as others do, and see what it printed and threw',
    params: slugParams,
    response: TestedCall,
    async handle({ params, request, address, requestId, actor }) {
      requireScope(signedIn(actor), 'functions:read');
      const row = await own(params.slug, actor);
      assertNotBlocked(row, true);
      const path = `/${new URL(request.url).search}`;
      return calls.test(row.id, request, path, { address, bearer: undefined, requestId });
    },
  });
}
