import type { AppError } from '../../../lib/errors.ts';
import { type Html, html, say, sayError, screen, t } from '../../../sites/screens/index.ts';
import type { PageAccess } from '../model/access-policy.ts';
import type { PageClosed } from '../model/page-closed.ts';

/**
 * Screens for people who cannot see a page. They appear at the service and on the hosts of pages. They say nothing
 * about the page: no name, no picture.
 */

interface ReturnPaths {
  baseUrl: string;
  /** Where to go after the password or the login: a path on the same host. */
  next: string;
  /** Where to go after the password or the login, as a path at the service. */
  nextAtBase: string;
  /** The username of the logged-in user, if it is known. */
  username?: string | undefined;
}

const HEADERS = { 'cache-control': 'private, no-store', 'x-robots-tag': 'noindex' };

/** The screen for somebody who cannot see a page. */
export function closedScreen({ page, reason, isOwner }: PageClosed, place: ReturnPaths): Promise<Response> {
  switch (reason) {
    case 'password needed':
      return passwordScreen(page.id, place);
    case 'login needed':
      return loginScreen(place);
    case 'not for them':
      return noticeScreen(
        t('You cannot see this page'),
        t('It is only for some people. Ask its owner for access.'),
        place,
      );
    case 'taken down':
      return noticeScreen(t('This page is not available'), takenDownText(page, isOwner), place, {
        status: 451,
        ...(isOwner && { pageId: page.id }),
      });
    case 'owner blocked':
      return noticeScreen(
        t('This page is not available'),
        t('It cannot be shown at the moment. Try again later, or ask its owner.'),
        place,
      );
    case 'unclaimed':
      return noticeScreen(
        t('This page has no owner yet'),
        t('It was published without an account. Open it at its own address.'),
        place,
      );
    case 'expired':
      return noticeScreen(
        t('This page is closed'),
        t('It was open until a certain time, which has passed. Ask its owner to open it again.'),
        place,
      );
  }
}

const takenDownText = ({ taken_down_reason: reason }: PageAccess, isOwner: boolean) =>
  isOwner
    ? t('An administrator of this server has taken this page down. The reason: {reason}', {
        reason: reason ?? '',
      })
    : t('An administrator of this server has taken this page down. Its owner can see why in the dashboard.');

/** Asks for the password of a page, again if the last one was wrong. */
export function passwordScreen(
  pageId: number,
  { baseUrl, next }: Pick<ReturnPaths, 'baseUrl' | 'next'>,
  error?: AppError,
): Promise<Response> {
  const title = t('This page has a password');
  const problem = error
    ? html`<div class="error" role="alert"><p id="password-problem"><a href="#password">${sayError(error)}</a></p></div>`
    : '';
  const invalid = error ? html` aria-invalid="true" aria-describedby="password-problem"` : '';
  const body = html`<section class="card">
<h1>${title}</h1>
<p>${t('Ask the person who gave you the link for it.')}</p>
${problem}
<form method="post" action="/api/pages/${pageId}/pass">
<div class="field">
<label for="password">${t('Password')}</label>
<input id="password" name="password" type="password" autocomplete="current-password" autocapitalize="none" spellcheck="false" required autofocus${invalid}>
</div>
<input type="hidden" name="next" value="${next}"><button>${t('Open the page')}</button>
</form>
</section>`;
  return screen(
    { title: error ? t('Error: {title}', { title }) : title, body },
    {
      baseUrl,
      status: error?.status ?? 403,
      formTargets: "'self'",
      headers: { ...error?.headers, ...HEADERS },
    },
  );
}

function loginScreen({ baseUrl, nextAtBase }: ReturnPaths): Promise<Response> {
  const title = t('Log in to see this page');
  const body = html`<section class="card">
<h1>${title}</h1>
<p>${t('Only some people can see it.')}</p>
<p class="actions"><a class="button" href="${baseUrl}/login?next=${encodeURIComponent(nextAtBase)}">${t('Log in')}</a></p>
</section>`;
  return screen({ title, body }, { baseUrl, status: 403, headers: HEADERS });
}

interface Notice {
  status?: number;
  /** The id of the page, for its owner, who gets a link to it in the dashboard. */
  pageId?: number;
}

function noticeScreen(
  title: string,
  message: string,
  place: ReturnPaths,
  { status = 403, pageId }: Notice = {},
): Promise<Response> {
  const body = html`<section class="card">
<h1>${title}</h1>
<p>${message}</p>
${pageId === undefined ? '' : html`<p class="actions"><a class="button" href="${place.baseUrl}/pages/${pageId}">${t('Open in the dashboard')}</a></p>`}
${place.username === undefined ? startLink(place) : whoLine(place.username, place)}
</section>`;
  return screen({ title, body }, { baseUrl: place.baseUrl, status, headers: HEADERS });
}

function startLink({ baseUrl }: ReturnPaths): Html {
  return html`<p class="foot"><a href="${baseUrl}/">${t('Go to the start page')}</a></p>`;
}

function whoLine(username: string, { baseUrl, nextAtBase }: ReturnPaths): Html {
  const logout = `${baseUrl}/logout?next=${encodeURIComponent(nextAtBase)}`;
  return html`<p class="foot">${say`You are logged in as <strong>${username}</strong>. <a href="${logout}">Not you?</a>`}</p>`;
}
