import type { AppError } from '../../lib/errors.ts';
import { type Html, html, screen } from './screen.ts';

const TITLES: Record<number, string> = {
  403: 'Not allowed',
  404: 'Nothing here',
  405: 'Not possible here',
  413: 'Too large',
  429: 'Too many tries',
  500: 'Something went wrong',
  503: 'Back in a moment',
  507: 'The disk is full',
};

/** What is known of the request that failed. */
interface Asked {
  requestId: string;
  method: string;
}

/** A failure, as a person sees it; on any host, its links lead to the service. */
export function errorScreen(failure: AppError, baseUrl: string, asked?: Asked): Promise<Response> {
  const { status, headers } = failure;
  const title = TITLES[status] ?? 'That did not work';
  const body = html`<section class="card">
<p class="status">${status}</p>
<h1>${title}</h1>
${explain(failure, asked)}
<p class="foot"><a href="${baseUrl}/">Go to the start page</a></p>
</section>`;
  return screen({ title, body }, { status, baseUrl, headers });
}

function explain(failure: AppError, asked: Asked | undefined): Html {
  switch (failure.status) {
    case 404:
      return html`<p>${failure.message} The address may be mistyped, or what was here was moved, deleted or is private.</p>`;
    case 500:
      return html`<p>This is our fault, not yours. If it happens again, tell whoever runs this server, and quote this id:</p>
<pre>${asked?.requestId}</pre>`;
    case 503:
      // Not by itself, which would take the page away from who reads it slowly; and never what a form sent, twice.
      return asked?.method === 'GET'
        ? html`<p>${failure.message}</p><p class="actions"><a class="button" href="">Try again</a></p>`
        : html`<p>${failure.message} Go back and send the form again.</p>`;
    default:
      return html`<p>${failure.message}</p>`;
  }
}
