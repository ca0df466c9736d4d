import { type Html, html, screen } from '../../../platform/screens/index.ts';
import type { AskingPage, CreditsContext } from '../context.ts';
import { consentPath, inWords } from './page.ts';

export const CLOSING_SCRIPT_PATH = '/assets/close-tab.js';
/** Browsers do this only for a tab that a script or a link opened. */
export const CLOSING_SCRIPT = 'window.close();\n';

type Answer = { limit: number; publish: boolean } | 'declined' | 'withdrawn';

/** The result. A tab that the page opened closes by itself, where the browser lets it. */
export function endScreen(
  { baseUrl }: CreditsContext,
  { page, isNewTab }: { page: AskingPage; isNewTab: boolean },
  answer: Answer,
): Promise<Response> {
  const { title, outcome } = resultOf(answer);
  const body = html`<section class="card">
<h1>${title}</h1>
<p>The page “<strong>${page.name}</strong>” ${outcome}</p>
${isNewTab ? html`<p>You can close this tab and go on where you were.</p>` : wayBack(page)}
${typeof answer === 'string' ? '' : html`<p class="foot">Changed your mind? <a href="${consentPath(page.id, false)}">Change it or take it back</a></p>`}
</section>`;
  return screen({ title, body }, { baseUrl, ...(isNewTab && { script: CLOSING_SCRIPT_PATH }) });
}

/** This screen cannot know whether a page opened its window, so it mentions both ways back. */
const wayBack = ({ slug }: AskingPage): Html =>
  html`<p>If the page opened this tab, close it and go on where you were.</p>
<p class="actions"><a class="button" href="/p/${slug}">Back to the page</a></p>`;

function resultOf(answer: Answer): { title: string; outcome: string } {
  if (answer === 'declined')
    return { title: 'Nothing has changed', outcome: 'was not allowed anything more.' };
  if (answer === 'withdrawn')
    return {
      title: 'Taken back',
      outcome: 'may no longer spend your credits or publish pages in your name.',
    };
  const allowed = [
    answer.limit > 0 && `spend up to ${inWords(answer.limit)} of yours`,
    answer.publish && 'publish pages in your name',
  ].filter(Boolean);
  return { title: 'Done', outcome: `may now ${allowed.join(', and ')}.` };
}
