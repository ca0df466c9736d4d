import { type Html, html, say, screen, t } from '../../../sites/screens/index.ts';
import type { AskingPage, CreditsContext } from '../context.ts';
import { consentPath, inWords } from './page.ts';

export const CLOSING_SCRIPT_PATH = '/assets/close-tab.js';
/** Closes the tab. Browsers allow this only for a tab that a script or a link opened. */
export const CLOSING_SCRIPT = 'window.close();\n';

type ConsentAnswer = { limit: number; publish: boolean } | 'declined' | 'withdrawn';

/** The screen with the result. A tab that the page opened closes by itself, if the browser allows it. */
export function endScreen(
  { baseUrl }: CreditsContext,
  { page, isNewTab }: { page: AskingPage; isNewTab: boolean },
  answer: ConsentAnswer,
): Promise<Response> {
  const { title, outcome } = describeResult(answer, page);
  const body = html`<section class="card">
<h1>${title}</h1>
<p>${outcome}</p>
${isNewTab ? html`<p>${t('You can close this tab and go on where you were.')}</p>` : wayBack(page)}
${typeof answer === 'string' ? '' : html`<p class="foot">${say`Changed your mind? <a href="${consentPath(page.id, false)}">Change it or take it back</a>`}</p>`}
</section>`;
  return screen({ title, body }, { baseUrl, ...(isNewTab && { script: CLOSING_SCRIPT_PATH }) });
}

/** The ways back to the page. The screen cannot know whether a page opened its window, so it mentions both. */
const wayBack = ({ slug }: AskingPage): Html =>
  html`<p>${t('If the page opened this tab, close it and go on where you were.')}</p>
<p class="actions"><a class="button" href="/p/${slug}">${t('Back to the page')}</a></p>`;

function describeResult(answer: ConsentAnswer, { name }: AskingPage): { title: string; outcome: Html } {
  if (answer === 'declined')
    return {
      title: t('Nothing has changed'),
      outcome: say`The page “<strong>${name}</strong>” was not allowed anything more.`,
    };
  if (answer === 'withdrawn')
    return {
      title: t('Taken back'),
      outcome: say`The page “<strong>${name}</strong>” may no longer spend your credits or publish pages in your name.`,
    };
  return { title: t('Done'), outcome: allowed(answer, name) };
}

function allowed({ limit, publish }: Exclude<ConsentAnswer, string>, name: string): Html {
  const amount = inWords(limit);
  if (limit === 0) return say`The page “<strong>${name}</strong>” may now publish pages in your name.`;
  return publish
    ? say`The page “<strong>${name}</strong>” may now spend up to ${amount} of yours, and publish pages in your name.`
    : say`The page “<strong>${name}</strong>” may now spend up to ${amount} of yours.`;
}
