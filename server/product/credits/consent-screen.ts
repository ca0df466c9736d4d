import { PICTURE_PRICES, TOKENS_PER_CREDIT, toCredits } from '../../../contract/rules/credit-amounts.ts';
import { MAX_CREDIT_LIMIT } from '../../../contract/rules/limits.ts';
import type { Actor } from '../../platform/http/index.ts';
import { askedAs, type Html, html, screen } from '../../platform/screens/index.ts';
import type { AskingPage, CreditsContext } from './context.ts';
import { findMeans, findSpent } from './store.ts';

/** The screens that ask a person for consent, and show the result. */

/** The usual choices. Any other number can be typed. */
const LIMITS = [5, 10, 25, 100];

/** Amounts as in the dashboard. */
const inNumbers = (credits: number) =>
  credits > 0 && credits < 0.01 ? '<0.01' : credits.toLocaleString('en', { maximumFractionDigits: 2 });
const inWords = (credits: number) => `${inNumbers(credits)} ${credits === 1 ? 'credit' : 'credits'}`;

/** Whether the page has any feature that needs consent. */
export const isAsking = (page: AskingPage) => usesOf(page).length > 0;

/** A form without a valid limit: none was chosen, or `typed` is not one. */
export interface RefusedLimit {
  typed?: string | undefined;
}

/** The question, shown again if the form was refused. */
export async function askScreen(
  context: CreditsContext,
  actor: Actor,
  page: AskingPage,
  refused?: RefusedLimit,
): Promise<Response> {
  const { db, baseUrl } = context;
  const { balance_tokens, used_tokens, limit_tokens } = await findMeans(db, actor.userId, page.id);
  const isAgain = limit_tokens !== null;
  if (!isAsking(page)) return nothingScreen(context, page, { isAllowed: isAgain });
  const owner = await context.usernameOf(page.owner_id);
  // Without a consent there is no counter, but there may have been one before.
  const used = inNumbers(toCredits(used_tokens ?? (await findSpent(db, actor.userId, page.id))));
  const spent = isAgain ? `${used} of the ${inNumbers(toCredits(limit_tokens))} you allowed it` : used;
  const isPaid = usesOf({ ...page, page_api_spawn_enabled: 0 }).length > 0;
  const first = isPaid ? 'Use your credits?' : 'Publish in your name?';
  const title = isAgain ? 'Allow more credits?' : first;
  const body = html`<section class="card roomy">
<h1>${title}</h1>
<p class="subject"><strong>${page.name}</strong><span class="hint">${new URL(baseUrl).host}/p/${page.slug}</span><span class="hint">a page by ${owner}</span></p>
<p class="lead">This page wants to ${isPaid ? 'use your credits' : 'publish pages in your name'}. It has used ${spent}${isPaid || isAgain ? '' : ' of your credits'}. You have ${inNumbers(toCredits(balance_tokens))}.</p>
${balance_tokens > 0 ? '' : html`<p class="notice">You have no credits left. You can allow it, but it can spend nothing until an administrator gives you more.</p>`}
<ul>${usesOf(page).map((use) => html`<li>${use}</li>`)}</ul>
${refused ? problem(refused) : ''}
<form method="post" action="/consent">
<input type="hidden" name="page" value="${page.id}">
${limitChoice(isAgain, refused)}
<p class="hint">Nothing is taken now; each use takes what it costs. At the limit it stops, and you are asked again. It may also publish pages in your name. You can take all of this back here at any time.</p>
<div class="actions"><button name="answer" value="allow">Allow</button><button class="quiet" name="answer" value="not now" formnovalidate>Not now</button></div>
${isAgain ? html`<button class="link" name="answer" value="withdraw" formnovalidate>Take it back</button>` : ''}
</form>
${askedAs(actor.username, `/consent?page=${page.id}`)}
</section>`;
  const status = refused ? 400 : 200;
  return screen({ title: status === 400 ? `Error: ${title}` : title, body }, { ...frame(context), status });
}

function problem({ typed }: RefusedLimit): Html {
  const [field, text] =
    typed === undefined
      ? ['limit', 'Choose how many credits the page may spend.']
      : ['other', `Choose a whole number from 1 to ${inNumbers(MAX_CREDIT_LIMIT)}.`];
  return html`<div class="error" role="alert"><p id="limit-problem"><a href="#${field}">${text}</a></p></div>`;
}

/**
 * Nothing is preselected: otherwise a page could place this window under the second click of a double click.
 */
function limitChoice(isAgain: boolean, refused: RefusedLimit | undefined): Html {
  const typed = refused?.typed;
  const isTyped = typed !== undefined;
  const choices = LIMITS.map(
    (limit, at) =>
      html`<label class="choice"><input type="radio" name="limit" value="${limit}" required${at === 0 ? html` id="limit"` : ''}${refused && !isTyped ? html` aria-describedby="limit-problem"` : ''}>${limit}</label>`,
  );
  return html`<fieldset>
<legend>At most how many ${isAgain ? 'more ' : ''}credits?</legend>
<div class="choices">${choices}<label class="choice"><input type="radio" name="limit" value="other" required${isTyped ? html` checked` : ''}>Other</label></div>
<div class="field other"><label for="other">Another number</label>
<input id="other" name="other" type="number" min="1" max="${MAX_CREDIT_LIMIT}" step="1" inputmode="numeric" autocomplete="off" value="${typed ?? ''}" aria-describedby="${isTyped ? 'limit-problem ' : ''}other-hint"${isTyped ? html` aria-invalid="true" autofocus` : ''}>
<p class="hint" id="other-hint">A whole number from 1 to ${inNumbers(MAX_CREDIT_LIMIT)}.</p></div>
</fieldset>`;
}

/** What the page's owner has enabled, and what each costs. */
function usesOf(page: AskingPage): string[] {
  const { generation, recognition } = PICTURE_PRICES;
  const uses: Array<[isOn: number, use: string]> = [
    [
      page.page_api_ai_enabled,
      `AI chat: 1 credit for ${inNumbers(TOKENS_PER_CREDIT)} tokens (about 1,900 words)`,
    ],
    [page.page_api_image_gen_enabled, `Making pictures: ${inWords(generation)} each`],
    [page.page_api_image_recognition_enabled, `Looking at pictures: ${inWords(recognition)} each`],
    [page.page_api_spawn_enabled, 'Publishing pages in your name: free'],
  ];
  return uses.filter(([isOn]) => isOn === 1).map(([, use]) => use);
}

/** For a page that has nothing to spend credits on. An earlier consent can be withdrawn. */
export function nothingScreen(
  context: CreditsContext,
  page: AskingPage,
  { isAllowed = false, status = 200 }: { isAllowed?: boolean; status?: number },
): Promise<Response> {
  const title = 'Nothing to allow';
  const body = html`<section class="card">
<h1>${title}</h1>
<p>The page “<strong>${page.name}</strong>” has nothing that uses credits.${isAllowed ? ' What you allowed it earlier counts again if its owner adds something.' : ''}</p>
<form method="post" action="/consent"><input type="hidden" name="page" value="${page.id}">
<div class="actions"><a class="button" href="/p/${page.slug}">Back to the page</a>
${isAllowed ? html`<button class="quiet" name="answer" value="withdraw">Take it back</button>` : ''}</div></form>
</section>`;
  return screen({ title, body }, { ...frame(context), status });
}

/** This screen cannot know whether a page opened its window, so it mentions both ways back. */
export function endScreen(
  context: CreditsContext,
  page: AskingPage,
  answer: { limit: number } | 'declined' | 'withdrawn',
): Promise<Response> {
  const [title, outcome] =
    answer === 'declined'
      ? ['Nothing has changed', 'was not allowed any more of your credits.']
      : answer === 'withdrawn'
        ? ['Taken back', 'may no longer spend your credits or publish pages in your name.']
        : ['Done', `may now spend up to ${inWords(answer.limit)} of yours, and publish pages in your name.`];
  const body = html`<section class="card">
<h1>${title}</h1>
<p>The page “<strong>${page.name}</strong>” ${outcome}</p>
<p>If the page opened this window, close it and go on where you were.</p>
<p class="actions"><a class="button" href="/p/${page.slug}">Back to the page</a></p>
${typeof answer === 'string' ? '' : html`<p class="foot">Changed your mind? <a href="/consent?page=${page.id}">Change it or take it back</a></p>`}
</section>`;
  return screen({ title, body }, { baseUrl: context.baseUrl });
}

const frame = ({ baseUrl }: CreditsContext) => ({ baseUrl, formTargets: "'self'" });
