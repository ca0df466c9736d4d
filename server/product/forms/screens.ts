import { AppError, type PublicError } from '../../lib/errors.ts';
import { html, sayError, screen, t } from '../../sites/screens/index.ts';

/** Screens for people whose browser sent a form without a script. */

/** Confirms that the form was sent. `back` is the URL of the page. */
export function thanksScreen(page: { name: string }, back: string, baseUrl: string): Promise<Response> {
  const body = html`<section class="card">
<h1>${t('Thank you')}</h1>
<p>${t('Your message was sent.')}</p>
<p class="actions"><a class="button" href="${back}">${t('Back to {name}', { name: page.name })}</a></p>
</section>`;
  return screen({ title: t('Thank you'), body }, { status: 201, baseUrl });
}

/** The text for people whose access has ended, or who use a sandboxed page without script. Programs get the error. */
const NOT_LET_IN =
  'Not everyone can see this page, and your browser did not show that you can. Turn on JavaScript, open the page again, and send the form once more.';

export function notSentScreen(failure: PublicError, baseUrl: string): Promise<Response> {
  const { status, headers } = failure;
  const isClosed = failure instanceof AppError && failure.code === 'FORBIDDEN';
  const body = html`<section class="card">
<p class="status">${status}</p>
<h1>${t('Your message was not sent')}</h1>
<p>${isClosed ? t(NOT_LET_IN) : sayError(failure)}</p>
<p class="foot">${t('Go back with your browser’s Back button. What you wrote is still in the form.')}</p>
</section>`;
  return screen({ title: t('Your message was not sent'), body }, { status, baseUrl, headers });
}
