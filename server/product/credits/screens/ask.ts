import { toCredits } from '../../../../contract/rules/credit-amounts.ts';
import type { Actor } from '../../../platform/http/index.ts';
import { askedAs, type Html, html, say, screen, t } from '../../../sites/screens/index.ts';
import { findConsent, type StoredConsent } from '../consent-store.ts';
import type { AskingPage, CreditsContext } from '../context.ts';
import { findBalance, findSpent } from '../store.ts';
import { limitChoice, maxLimit, problem, type RefusedAnswer } from './limits.ts';
import {
  CONSENT_PATH,
  consentPath,
  inNumbers,
  isAsking,
  isPaid,
  isPublishing,
  listPaidUses,
} from './page.ts';

export interface Asking {
  page: AskingPage;
  /** True if the page opened a tab for the screen. */
  isNewTab: boolean;
  refused?: RefusedAnswer;
}

/** The screen that asks for consent, shown again if the form was refused. */
export async function askScreen(context: CreditsContext, actor: Actor, asking: Asking): Promise<Response> {
  const { db, baseUrl } = context;
  const { page, isNewTab, refused } = asking;
  const before = await findConsent(db, actor.userId, page.id);
  if (!isAsking(page)) return nothingScreen(context, page, { isAllowed: before !== undefined });
  const balance = await findBalance(db, actor.userId);
  const max = maxLimit(balance);
  // Without a limit, the consent has no counter, but an earlier consent may have spent credits.
  const spent = before?.limit_tokens ? before.used_tokens : await findSpent(db, actor.userId, page.id);
  const title = chooseTitle(page, before);
  const hasChoice = (isPaid(page) && max > 0) || isPublishing(page);
  const body = html`<section class="card roomy">
<h1>${title}</h1>
<p class="subject"><strong>${page.name}</strong><span class="hint">${new URL(baseUrl).host}/p/${page.slug}</span><span class="hint">${t('a page by {name}', { name: await context.readUsername(page.owner_id) })}</span></p>
<p class="lead">${lead(page, { spent, balance, before })}</p>
${isPaid(page) ? uses(page, max) : ''}
${refused ? problem(refused, { max, canPublish: isPublishing(page) }) : ''}
<form method="post" action="${CONSENT_PATH}">
<input type="hidden" name="page" value="${page.id}">${isNewTab ? html`<input type="hidden" name="tab" value="new">` : ''}
${isPaid(page) && max > 0 ? limitChoice({ max, isAgain: hasLimit(before), canBeNone: isPublishing(page), refused }) : ''}
${isPublishing(page) ? publishTick(page, before) : ''}
<p class="hint">${isPaid(page) ? `${t('Nothing is taken now; each use takes what it costs. At the limit it stops, and you are asked again.')} ` : ''}${t('You can withdraw this at any time in Account, Credits.')}</p>
<div class="actions">${hasChoice ? html`<button name="answer" value="allow">${t('Allow')}</button>` : ''}<button class="quiet" name="answer" value="not now" formnovalidate>${t('Not now')}</button></div>
${before ? html`<button class="link" name="answer" value="withdraw" formnovalidate>${t('Take it back')}</button>` : ''}
</form>
${askedAs(actor.username, consentPath(page.id, isNewTab))}
</section>`;
  const status = refused ? 400 : 200;
  return screen(
    { title: refused ? t('Error: {title}', { title }) : title, body },
    { ...frame(context), status },
  );
}

const hasLimit = (before: StoredConsent | undefined) => (before?.limit_tokens ?? 0) > 0;

function chooseTitle(page: AskingPage, before: StoredConsent | undefined): string {
  if (!isPaid(page)) return t('Publish in your name?');
  return hasLimit(before) ? t('Allow more credits?') : t('Use your credits?');
}

function lead(
  page: AskingPage,
  { spent, balance, before }: { spent: number; balance: number; before: StoredConsent | undefined },
): string {
  if (!isPaid(page)) return t('This page wants to publish pages in your name. That costs nothing.');
  const used = inNumbers(toCredits(spent));
  const wish = isPublishing(page)
    ? t('This page wants to use your credits and publish pages in your name.')
    : t('This page wants to use your credits.');
  const soFar =
    before && hasLimit(before)
      ? t('It has used {used} of the {limit} you allowed it.', {
          used,
          limit: inNumbers(toCredits(before.limit_tokens)),
        })
      : t('It has used {used}.', { used });
  return `${wish} ${soFar} ${t('You have {balance}.', { balance: inNumbers(toCredits(balance)) })}`;
}

function uses(page: AskingPage, max: number): Html {
  return html`${max > 0 ? '' : html`<p class="notice">${t('You have no credits to allow. An administrator of this server can give you some.')}</p>`}
<ul>${listPaidUses(page).map((use) => html`<li>${use}</li>`)}</ul>`;
}

/** The checkbox to let the page publish. It is separate, because a page that may spend credits may not also publish. */
function publishTick(page: AskingPage, before: StoredConsent | undefined): Html {
  const checked = before?.canPublish ? html` checked` : '';
  const required = isPaid(page) ? '' : html` required`;
  return html`<label class="tick"><input type="checkbox" id="publish" name="publish" value="yes"${required}${checked}><span>${t('It may publish pages in my name')}</span></label>`;
}

/** The screen for a page that needs no consent. An earlier consent can be withdrawn. */
export function nothingScreen(
  context: CreditsContext,
  page: AskingPage,
  { isAllowed = false, status = 200 }: { isAllowed?: boolean; status?: number },
): Promise<Response> {
  const title = t('Nothing to allow');
  const body = html`<section class="card">
<h1>${title}</h1>
<p>${say`The page “<strong>${page.name}</strong>” has nothing that uses credits.`}${isAllowed ? ` ${t('What you allowed it earlier counts again if its owner adds something.')}` : ''}</p>
<form method="post" action="${CONSENT_PATH}"><input type="hidden" name="page" value="${page.id}">
<div class="actions"><a class="button" href="/p/${page.slug}">${t('Back to the page')}</a>
${isAllowed ? html`<button class="quiet" name="answer" value="withdraw">${t('Take it back')}</button>` : ''}</div></form>
</section>`;
  return screen({ title, body }, { ...frame(context), status });
}

const frame = ({ baseUrl }: CreditsContext) => ({ baseUrl, formTargets: "'self'" });
