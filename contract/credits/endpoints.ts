import { endpoint, endpoints } from '../endpoint.ts';
import { ConsentBody, Consented, History, HistoryQuery, Overview, pageParams } from './credits.ts';

/** Login sessions only, no token and no page session: a program must not give consent for its user. */
const access = { kind: 'account' } as const;

export const creditEndpoints = endpoints({
  getCredits: endpoint({
    method: 'GET',
    path: '/api/credits',
    access,
    summary: 'Your credits, and the pages that can use them',
    response: Overview,
  }),
  listCreditHistory: endpoint({
    method: 'GET',
    path: '/api/credits/history',
    access,
    summary: 'Your credit history, newest first',
    query: HistoryQuery,
    response: History,
  }),
  giveConsent: endpoint({
    method: 'POST',
    path: '/api/credits/consents',
    failures: ['NOT_FOUND'],
    access,
    summary: 'Let a page spend up to `limit` of your credits from now on, and publish in your name',
    body: ConsentBody,
    response: Consented,
  }),
  withdrawConsent: endpoint({
    method: 'DELETE',
    path: '/api/credits/consents/:pageId',
    access,
    summary: 'Revoke the access of a page to your credits',
    params: pageParams,
    status: 204,
  }),
});
