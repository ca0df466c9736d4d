import type { PublicError } from '../../lib/errors.ts';
import { html, screen } from '../../platform/screens/index.ts';

/** What people see whose browser sent a form without a script. */

/** `back` is the address of the page. */
export function thanksScreen(page: { name: string }, back: string, baseUrl: string): Promise<Response> {
  const body = html`<section class="card">
<h1>Thank you</h1>
<p>Your message was sent.</p>
<p class="actions"><a class="button" href="${back}">Back to ${page.name}</a></p>
</section>`;
  return screen({ title: 'Thank you', body }, { status: 201, baseUrl });
}

export function notSentScreen({ status, message, headers }: PublicError, baseUrl: string): Promise<Response> {
  const body = html`<section class="card">
<p class="status">${status}</p>
<h1>Your message was not sent</h1>
<p>${message}</p>
<p class="foot">Go back with your browser’s Back button. What you wrote is still in the form.</p>
</section>`;
  return screen({ title: 'Your message was not sent', body }, { status, baseUrl, headers });
}
