import type { AppError } from '../../../lib/errors.ts';
import { html, say, sayError, screen, t } from '../../../sites/screens/index.ts';
import { type Field, formScreen, type Tried } from '../screens/form-screen.ts';
import type { Identified } from './flows.ts';

/** The screens of single sign-on. */

interface Frame {
  baseUrl: string;
  formTargets: string;
}

/** The path where the login continues if we have to ask something. */
export function finishPath(id: string): string {
  return `/login/sso/finish?flow=${id}`;
}

/** Says why the login did not work, with a link to try again. */
export function failedScreen(
  { title, error, retry }: { title: string; error: AppError; retry: string },
  { baseUrl }: Frame,
): Promise<Response> {
  const body = html`<section class="card">
<h1>${title}</h1>
<p>${sayError(error)}</p>
<p class="actions"><a class="button" href="${retry}">${t('Try again')}</a>
<a class="button quiet" href="/login">${t('Log in another way')}</a></p>
</section>`;
  return screen({ title, body }, { status: error.status, headers: error.headers, baseUrl });
}

const NEW_USERNAME: Field = {
  name: 'username',
  label: 'Username',
  autocomplete: 'username',
  hint: '3 to 32 characters: a-z, 0-9, _ and -.',
};

/** Asks a new person for a username. */
export function usernameScreen(
  flow: Identified,
  { provider, tried }: { provider: string; tried: Tried },
  frame: Frame,
): Promise<Response> {
  return formScreen(
    {
      title: t('Choose a username'),
      intro: t(
        '{provider} says that your address is {email}. Your account gets this address. You log in with {provider}, so you do not need a password here.',
        { provider, email: flow.identity.email ?? '' },
      ),
      action: '/login/sso/register',
      fields: [NEW_USERNAME],
      hidden: { flow: flow.id },
      submit: t('Create account'),
      after: html`<p class="foot">${say`Have an account with another address? <a href="/login?next=${encodeURIComponent('/account/security')}">Log in</a> and connect it to ${provider}.`}</p>`,
      tried,
    },
    frame,
  );
}

const PASSWORD: Field = {
  name: 'password',
  label: 'Password',
  type: 'password',
  autocomplete: 'current-password',
};

/** Asks for the password of the account that has the address. */
export function passwordScreen(
  flow: Identified,
  { provider, username, tried }: { provider: string; username: string; tried: Tried },
  frame: Frame,
): Promise<Response> {
  return formScreen(
    {
      title: t('Connect your account'),
      intro: t(
        'There is an account with the address {email}: {username}. Enter its password once to connect it to {provider}.',
        { email: flow.identity.email ?? '', username, provider },
      ),
      action: '/login/sso/connect',
      fields: [PASSWORD],
      hidden: { flow: flow.id },
      submit: t('Connect'),
      after: html`<p class="foot">${say`No password, or a second factor? <a href="${loginFirst(flow.id)}">Log in another way</a>, or <a href="/forgot">set a new password</a>.`}</p>`,
      tried,
    },
    frame,
  );
}

/** Asks somebody who has just logged in to the account with the address whether to connect it. */
export function confirmScreen(
  flow: Identified,
  { provider, username, tried }: { provider: string; username: string; tried: Tried },
  frame: Frame,
): Promise<Response> {
  return formScreen(
    {
      title: t('Connect your account'),
      intro: t(
        'You are logged in as {username}. Connect this account to {provider} to log in with {provider} next time.',
        { username, provider },
      ),
      action: '/login/sso/connect',
      fields: [],
      hidden: { flow: flow.id },
      submit: t('Connect'),
      after: html`<p class="foot"><a href="${flow.next}">${t('Not now')}</a></p>`,
      tried,
    },
    frame,
  );
}

/** Asks the user of an account without a password to log in first. */
export function loginFirstScreen(
  flow: Identified,
  { provider, username }: { provider: string; username: string },
  { baseUrl }: Frame,
): Promise<Response> {
  const title = t('Connect your account');
  const body = html`<section class="card">
<h1>${title}</h1>
<p>${say`There is an account with the address ${flow.identity.email}: <strong>${username}</strong>. Log in to it once to connect it to ${provider}.`}</p>
<p class="actions"><a class="button" href="${loginFirst(flow.id)}">${t('Log in')}</a></p>
</section>`;
  return screen({ title, body }, { baseUrl });
}

const loginFirst = (id: string) => `/login?next=${encodeURIComponent(finishPath(id))}`;
