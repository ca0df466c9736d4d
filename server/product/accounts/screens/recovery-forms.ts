import type { AppError } from '../../../lib/errors.ts';
import { language } from '../../../platform/http/index.ts';
import { look } from '../../../platform/service-settings/index.ts';
import { html, say, sayError, screen, t } from '../../../sites/screens/index.ts';
import type { KnownUser } from '../logins/password-check.ts';
import { type FormsContext, LOGIN, NEW_PASSWORD } from './account-forms.ts';
import { formScreen, type Tried } from './form-screen.ts';

/** The screens for people who cannot log in, and for the links in mail. */

const describeForgot = () => t('Set a new password for your account on {name}.', { name: look().name });

/** `helpers` are the administrators of a server that does not send mail. */
export function forgotScreen(
  context: FormsContext,
  helpers: string[] | undefined,
  tried: Tried = {},
): Promise<Response> {
  return formScreen(
    {
      title: t('Set a new password'),
      description: describeForgot(),
      intro: helpers
        ? t('This server does not send mail. Its administrators can give you a link to set a new password.')
        : t('We send a link to the e-mail address of your account.'),
      action: '/forgot',
      fields: [LOGIN],
      hidden: {},
      submit: helpers ? t('Tell the administrators') : t('Send the link'),
      after: html`<p class="foot">${say`Remember it? <a href="/login">Log in</a>`}</p>`,
      tried,
    },
    context,
  );
}

/** Says that the administrators know. The text is the same for every name, so that nobody learns who has an account. */
export function askedScreen({ baseUrl }: FormsContext, helpers: string[]): Promise<Response> {
  const title = t('The administrators know');
  const names = new Intl.ListFormat(language(), { type: 'disjunction' }).format(helpers);
  const body = html`<section class="card">
<h1>${title}</h1>
<p>${t('If there is such an account, they see that you need a new password, and can give you a link. It works once, for a day.')}</p>
${helpers.length > 0 ? html`<p>${t('To be quicker, ask {names}.', { names })}</p>` : ''}
<p class="foot"><a href="/login">${t('Go to the login page')}</a></p>
</section>`;
  return screen({ title, body }, { baseUrl });
}

/** Says that a link was sent. The text is the same for every name, so that nobody learns who has an account. */
export function sentScreen({ baseUrl }: FormsContext): Promise<Response> {
  const title = t('Check your mail');
  const body = html`<section class="card">
<h1>${title}</h1>
<p>${t('If there is such an account, a link is on its way to its e-mail address. It works once, for one hour.')}</p>
<p>${say`No mail? Check your spam folder, or <a href="/forgot">try another name or address</a>.`}</p>
<p class="foot"><a href="/login">${t('Go to the login page')}</a></p>
</section>`;
  return screen({ title, body }, { baseUrl });
}

interface ResetTarget {
  user: Pick<KnownUser, 'username'>;
  code: string;
}

export function resetScreen(
  context: FormsContext,
  { user, code }: ResetTarget,
  tried: Tried = {},
): Promise<Response> {
  return formScreen(
    {
      title: t('Set a new password'),
      intro: t(
        'For the account {username}. This logs the account out everywhere, and removes its tokens and connected apps.',
        { username: user.username },
      ),
      action: '/reset',
      fields: [{ ...NEW_PASSWORD, label: 'New password' }],
      hidden: { code, username: user.username },
      submit: t('Set the password'),
      tried,
    },
    context,
  );
}

/** The screen after a new password, if more is needed to log in. */
export function passwordSetScreen({ baseUrl }: FormsContext, why: Error): Promise<Response> {
  const title = t('Your password has changed');
  const body = html`<section class="card">
<h1>${title}</h1>
<p>${sayError(why)}</p>
<p class="actions"><a class="button" href="/login">${t('Go to the login page')}</a></p>
</section>`;
  return screen({ title, body }, { baseUrl });
}

export function confirmScreen(
  context: FormsContext,
  { user, email, code }: ResetTarget & { email: string },
): Promise<Response> {
  return formScreen(
    {
      title: t('Confirm your address'),
      intro: t('Is {email} the address of the account {username}?', { email, username: user.username }),
      action: '/confirm',
      fields: [],
      hidden: { code },
      submit: t('Confirm the address'),
      after: html`<p class="foot">${t('Not your account? Close this page. Nothing changes.')}</p>`,
    },
    context,
  );
}

export function confirmedScreen(
  { baseUrl }: FormsContext,
  { username, email }: Pick<KnownUser, 'username' | 'email'>,
): Promise<Response> {
  const title = t('The address is confirmed');
  const body = html`<section class="card">
<h1>${title}</h1>
<p>${say`<strong>${email}</strong> is the address of the account <strong>${username}</strong>.`}</p>
<p class="actions"><a class="button" href="/">${t('Go to the start page')}</a></p>
</section>`;
  return screen({ title, body }, { baseUrl });
}

export function linkGoneScreen(
  { baseUrl }: FormsContext,
  kind: 'reset' | 'confirm',
  error: AppError,
): Promise<Response> {
  const title = t('This link does not work');
  const again =
    kind === 'reset'
      ? html`<a class="button" href="/forgot">${t('Get a new link')}</a>`
      : html`<a class="button" href="/account/profile">${t('Go to your account')}</a>`;
  const body = html`<section class="card">
<h1>${title}</h1>
<p>${sayError(error)}</p>
<p class="actions">${again}</p>
</section>`;
  return screen({ title, body }, { status: error.status, baseUrl });
}
