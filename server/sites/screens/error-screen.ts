import type { PublicError } from '../../lib/errors.ts';
import { type Html, html, screen } from './screen.ts';
import { sayError, t } from './texts/texts.ts';

const TITLES: Record<number, () => string> = {
  403: () => t('Not allowed'),
  404: () => t('Nothing here'),
  405: () => t('Not possible here'),
  413: () => t('Too large'),
  429: () => t('Too many requests'),
  500: () => t('Something went wrong'),
  503: () => t('Temporarily unavailable'),
  507: () => t('The disk is full'),
};

/** The request that failed. */
interface ScreenInput {
  requestId: string;
  method: string;
}

/** Where the screen leads, if not to the start page: a path of the service, and its words. */
interface WayOut {
  path: string;
  text: string;
}

/** The screen for an error. It can appear on any host, so its links point to the service. */
export function errorScreen(
  failure: PublicError,
  baseUrl: string,
  asked?: ScreenInput,
  wayOut: WayOut = { path: '/', text: t('Go to the start page') },
): Promise<Response> {
  const { status, headers } = failure;
  const title = TITLES[status]?.() ?? t('Something went wrong');
  const body = html`<section class="card">
<p class="status">${status}</p>
<h1>${title}</h1>
${explain(failure, asked)}
<p class="foot"><a href="${baseUrl}${wayOut.path}">${wayOut.text}</a></p>
</section>`;
  return screen({ title, description: sayError(failure), body }, { status, baseUrl, headers });
}

function explain(failure: PublicError, asked: ScreenInput | undefined): Html {
  switch (failure.status) {
    case 404:
      return html`<p>${sayError(failure)} ${t('It may have been moved or deleted, or it may be private.')}</p>`;
    case 500:
      return html`<p>${t('This is an error of the server. If it happens again, send this id to the operator:')}</p>
<pre>${asked?.requestId}</pre>`;
    case 503:
      // No automatic reload: it would interrupt slow readers, and could send a form twice.
      return asked?.method === 'GET'
        ? html`<p>${sayError(failure)}</p><p class="actions"><a class="button" href="">${t('Try again')}</a></p>`
        : html`<p>${sayError(failure)} ${t('Go back and send the form again.')}</p>`;
    default:
      return html`<p>${sayError(failure)}</p>`;
  }
}
