import type { RegistrationMode } from '../../../../contract/accounts/registration-modes.ts';
import type { AppError } from '../../../lib/errors.ts';
import { html, say, sayError, screen, t, translated } from '../../../sites/screens/index.ts';
import { continueButton } from './provider-button.ts';

/** The account screens without a form to fill in. */

/** Asks whether to log out, because anyone can place a link to this screen. */
export function logoutScreen(
  next: string,
  username: string,
  frame: { baseUrl: string; formTargets: string },
): Promise<Response> {
  const body = html`<section class="card">
<h1>${t('Log out?')}</h1>
<p>${say`You are logged in as <strong>${username}</strong>. Pages that you have open will no longer recognize you.`}</p>
<form method="post" action="/logout"><input type="hidden" name="next" value="${next}">
<div class="actions"><button>${t('Log out')}</button><a class="button quiet" href="${next}">${t('Stay logged in')}</a></div></form>
</section>`;
  return screen({ title: t('Log out?'), body }, frame);
}

/** Confirms the logout, with links to continue. */
export function loggedOutScreen(next: string, baseUrl: string): Promise<Response> {
  const body = html`<section class="card">
<h1>${t('You are logged out')}</h1>
<p>${t('This browser can no longer use your account.')}</p>
<p class="actions"><a class="button" href="${next}">${next === '/' ? t('Go to the start page') : t('Continue')}</a>
<a class="button quiet" href="/login?next=${encodeURIComponent(next)}">${t('Log in again')}</a></p>
</section>`;
  return screen({ title: t('Logged out'), body }, { baseUrl });
}

/** Says why this person cannot register. */
export async function cannotRegisterScreen(
  next: string,
  {
    error,
    mode,
    hasInvite,
    singleSignOn,
  }: {
    error: AppError;
    mode: RegistrationMode;
    hasInvite: boolean;
    singleSignOn: { name: string } | undefined;
  },
  baseUrl: string,
): Promise<Response> {
  const [title = '', why = ''] =
    hasInvite && mode !== 'closed'
      ? [t('This invite does not work'), sayError(error)]
      : REFUSED[mode].map(translated);
  const body = html`<section class="card">
<h1>${title}</h1>
<p>${why}</p>
${singleSignOn ? continueButton(singleSignOn.name, { next }) : ''}
<p class="foot">${say`Have an account already? <a href="/login?next=${encodeURIComponent(next)}">Log in</a>`}</p>
</section>`;
  return screen({ title, body }, { status: error.status, headers: error.headers, baseUrl });
}

const REFUSED: Record<RegistrationMode, [title: string, why: string]> = {
  open: ['Registration is not possible right now', 'Try again later.'],
  invite: [
    'Registration is by invite',
    'Ask an administrator of this server for an invite, and open its link. An invite to the team of a page is not enough.',
  ],
  closed: [
    'Registration is closed',
    'Only the operator of this server can create accounts. Ask them for one.',
  ],
};

/** Confirms the new administrator, with links to the administration. */
export function administratorScreen(username: string, baseUrl: string): Promise<Response> {
  const title = t('You are now an administrator');
  const body = html`<section class="card">
<h1>${title}</h1>
<p>${say`<strong>${username}</strong> can now manage users, pages and functions, and see how the server is doing.`}</p>
<p class="actions"><a class="button" href="/admin">${t('Go to administration')}</a>
<a class="button quiet" href="/">${t('Go to your pages')}</a></p>
</section>`;
  return screen({ title, body }, { baseUrl });
}

/** The screen for a setup link that was used or replaced. */
export function setupGoneScreen(baseUrl: string): Promise<Response> {
  const title = t('This setup link no longer works');
  const body = html`<section class="card">
<h1>${title}</h1>
<p>${t('It has already been used or replaced. While there is no administrator, each start of the server prints a new one.')}</p>
<p class="foot"><a href="/">${t('Go to the start page')}</a></p>
</section>`;
  return screen({ title, body }, { status: 404, baseUrl });
}
