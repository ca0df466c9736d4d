import { z } from 'zod';
import { endpoint, endpoints } from '../endpoint.ts';
import { idOrSlugParams } from '../fields.ts';
import { WRITE } from './access.ts';
import { CallTicket, CallTicketRequest, TestQuery } from './callers.ts';
import { CALL_ANSWERS } from './calls/answers.ts';
import { LIVE_CALLS_BODY_LIMIT, LiveCallEvent, LiveCallsBody } from './calls/live-calls.ts';
import { slugParams, TestedCall } from './functions.ts';

export const callEndpoints = endpoints({
  callFunction: endpoint({
    method: 'POST',
    path: '/api/functions/:slug',
    bodyType: '*/*',
    bodySchema: z.unknown(),
    bodyOptional: true,
    ...CALL_ANSWERS,
    access: { kind: 'public to pages' },
    summary: 'Call a function: the body and query reach it, its answer comes back',
    params: slugParams,
  }),
  createCallTicket: endpoint({
    method: 'POST',
    path: '/api/pages/:id/call-ticket',
    access: { kind: 'visitor or guest' },
    summary:
      "Where a page calls a function, with a ticket that tells the page owner's function who its visitor is",
    params: idOrSlugParams,
    body: CallTicketRequest,
    response: CallTicket,
  }),
  followCalls: endpoint({
    method: 'POST',
    path: '/api/pages/:id/live-calls',
    answers: [
      {
        status: 200,
        description: 'What each call answers, and again when that has changed, until the reader leaves.',
        type: 'text/event-stream',
        events: LiveCallEvent,
      },
    ],
    access: { kind: 'visitor or guest' },
    summary:
      'Follow calls of functions, which run again when the data that they have read changes (server-sent events)',
    params: idOrSlugParams,
    body: LiveCallsBody,
    bodyLimit: LIVE_CALLS_BODY_LIMIT,
  }),
  testFunction: endpoint({
    method: 'POST',
    path: '/api/functions/:slug/test',
    bodyType: '*/*',
    bodySchema: z.unknown(),
    bodyOptional: true,
    access: WRITE,
    changes: 'single',
    failures: ['PAYLOAD_TOO_LARGE'],
    summary: 'Call your function as others do, and see what it printed and threw',
    params: slugParams,
    query: TestQuery,
    response: TestedCall,
  }),
});
