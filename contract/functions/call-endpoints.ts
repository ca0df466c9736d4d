import { z } from 'zod';
import { endpoint, endpoints } from '../endpoint.ts';
import { idOrSlugParams } from '../fields.ts';
import { WRITE } from './access.ts';
import { CALL_ANSWERS } from './call-answers.ts';
import { CallTicket, CallTicketRequest, TestQuery } from './callers.ts';
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
  testFunction: endpoint({
    method: 'POST',
    path: '/api/functions/:slug/test',
    bodyType: '*/*',
    bodySchema: z.unknown(),
    bodyOptional: true,
    access: WRITE,
    failures: ['PAYLOAD_TOO_LARGE'],
    summary: 'Call your function as others do, and see what it printed and threw',
    params: slugParams,
    query: TestQuery,
    response: TestedCall,
  }),
});
