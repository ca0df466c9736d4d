import {
  ConsentBody,
  Consented,
  History,
  HistoryQuery,
  Overview,
  pageParams,
} from '../../../contract/credits/credits.ts';
import { toCredits } from '../../../contract/rules/credit-amounts.ts';
import { type Route, route, signedIn } from '../../platform/http/index.ts';
import { giveConsent, readConsents, withdrawConsent } from './consents.ts';
import type { CreditsContext } from './context.ts';
import { readHistory } from './history.ts';
import { findBalance } from './store.ts';
import { toConsent, toHistoryItem } from './wire.ts';

/** Not a token and not a page session: a program must not give consent for its user. */
const access = { kind: 'account' } as const;

export function creditRoutes(context: CreditsContext): Route[] {
  const { db } = context;
  return [
    route({
      method: 'GET',
      path: '/api/credits',
      operationId: 'getCredits',
      access,
      summary: 'Your credits, and the pages that can use them',
      response: Overview,
      async handle({ actor }) {
        const user = signedIn(actor);
        const consents = await readConsents(context, user);
        const balance = await findBalance(db, user.userId);
        return { balance: toCredits(balance), consents: consents.map(toConsent) };
      },
    }),
    route({
      method: 'GET',
      path: '/api/credits/history',
      operationId: 'listCreditHistory',
      access,
      summary: 'Your credit history, newest first',
      query: HistoryQuery,
      response: History,
      async handle({ query, actor }) {
        const { rows, total } = await readHistory(context, signedIn(actor), query);
        return { history: rows.map(toHistoryItem), total, ...query };
      },
    }),
    route({
      method: 'POST',
      path: '/api/credits/consents',
      operationId: 'giveConsent',
      failures: ['NOT_FOUND'],
      access,
      summary: 'Let a page spend up to `limit` of your credits from now on, and publish in your name',
      body: ConsentBody,
      response: Consented,
      async handle({ body, actor }) {
        return { success: true, consent: toConsent(await giveConsent(context, signedIn(actor), body)) };
      },
    }),
    route({
      method: 'DELETE',
      path: '/api/credits/consents/:pageId',
      operationId: 'withdrawConsent',
      access,
      summary: 'Revoke the access of a page to your credits',
      params: pageParams,
      status: 204,
      handle: ({ params, actor }) => withdrawConsent(context, signedIn(actor), params.pageId),
    }),
  ];
}
