import { creditEndpoints } from '../../../contract/credits/endpoints.ts';
import { toCredits } from '../../../contract/rules/credit-amounts.ts';
import { handle, type Route } from '../../platform/http/index.ts';
import { giveConsent, readConsents, withdrawConsent } from './consents.ts';
import type { CreditsContext } from './context.ts';
import { readHistory } from './history.ts';
import { findBalance } from './store.ts';
import { toConsent, toHistoryItem } from './wire.ts';

export function creditRoutes(context: CreditsContext): Route[] {
  const { db } = context;
  return [
    handle(creditEndpoints.getCredits, async ({ actor }) => {
      const consents = await readConsents(context, actor);
      const balance = await findBalance(db, actor.userId);
      return { balance: toCredits(balance), consents: consents.map(toConsent) };
    }),
    handle(creditEndpoints.listCreditHistory, async ({ query, actor }) => {
      const { rows, total } = await readHistory(context, actor, query);
      return { history: rows.map(toHistoryItem), total, ...query };
    }),
    handle(creditEndpoints.giveConsent, async ({ body, actor }) => {
      return { success: true as const, consent: toConsent(await giveConsent(context, actor, body)) };
    }),
    handle(creditEndpoints.withdrawConsent, ({ params, actor }) =>
      withdrawConsent(context, actor, params.pageId),
    ),
  ];
}
