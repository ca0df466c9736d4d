import { callEndpoints } from '../../../../contract/functions/call-endpoints.ts';
import { TEST_AS_PARAM } from '../../../../contract/functions/call-tickets.ts';
import { notFound } from '../../../lib/errors.ts';
import { handle, type Route, readBearer } from '../../../platform/http/index.ts';
import type { Db } from '../../../platform/storage/index.ts';
import type { PageDirectory } from '../../ports.ts';
import { createOwn, requireScope } from '../model/access.ts';
import { assertNotBlocked } from '../model/block.ts';
import type { Calls } from './call.ts';
import { CALL_TICKET_SECONDS, takeParam } from './call-tickets.ts';
import { toFailureBody } from './failure-body.ts';
import type { FunctionNames } from './names.ts';
import type { Registry } from './registry.ts';
import { type FindMember, findTestCaller } from './test-caller.ts';
import { isFromPage, type WhoCalls } from './who-calls.ts';

export interface CallsContext {
  db: Db;
  calls: Calls;
  registry: Registry;
  names: FunctionNames;
  whoCalls: WhoCalls;
  pages: PageDirectory;
  findMember: FindMember;
  workerUrl(row: { id: number; slug: string }): string;
}

export function callRoutes(context: CallsContext): Route[] {
  return [callRoute(context), ticketRoute(context), testRoute(context)];
}

/**
 * Calls as the reference and preflights describe them, and as agents' tools make them. The front door passes other
 * callers to the same `calls` without a router.
 */
function callRoute({ calls }: CallsContext): Route {
  return handle(
    callEndpoints.callFunction,
    ({ params, request, address, requestId, pageHost, visitor }) =>
      calls.call(
        request,
        { slug: params.slug, path: `/${new URL(request.url).search}` },
        { address, bearer: readBearer(request), requestId, pageHost, visitor },
      ),
    { toFailureBody },
  );
}

/** How a page learns where a function is, and gets a ticket that tells the function who its visitor is. */
function ticketRoute({ db, pages, names, whoCalls, workerUrl }: CallsContext): Route {
  return handle(callEndpoints.createCallTicket, async ({ params, body, caller, request, pageHost }) => {
    const page = await pages.see(db, await pages.find(db, params.id), caller);
    const called = await names.findFor(page, body.function);
    if (!called?.isPublic || called.block) throw notFound('This function was not found.');
    const ticket = whoCalls.ticketFor(called, page, caller, isFromPage(request, pageHost));
    return { url: workerUrl(called), ticket: ticket ?? null, expiresIn: CALL_TICKET_SECONDS };
  });
}

/**
 * A call by the owner, with what happened in it. A token needs the scope to call functions, and the one to read their
 * output.
 */
function testRoute(context: CallsContext): Route {
  const own = createOwn(context.db);
  return handle(callEndpoints.testFunction, async ({ params, query, request, address, requestId, actor }) => {
    requireScope(actor, 'functions:read');
    const row = await own(params.slug, actor);
    assertNotBlocked(row, true);
    const { path } = takeParam(`/${new URL(request.url).search}`, TEST_AS_PARAM);
    const as = query[TEST_AS_PARAM];
    const caller = as === undefined ? undefined : await findTestCaller(context, row, actor, as);
    const origin = { address, bearer: undefined, requestId };
    return context.calls.test(row.id, request, path, origin, caller);
  });
}
