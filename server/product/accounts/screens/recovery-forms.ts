import { html, screen } from '../../../platform/screens/index.ts';
import type { KnownUser } from '../attempts.ts';
import { type FormsContext, LOGIN, NEW_PASSWORD } from './account-forms.ts';
import { formScreen, type Tried } from './form-screen.ts';

/** The screens for people who cannot log in, and for the links in mail. */

export function forgotScreen(context: FormsContext, _: undefined, tried: Tried = {}): Promise<Response> {
  return formScreen(
    {
      title: 'Set a new password',
      intro: 'We send a link to the e-mail address of your account.',
      action: '/forgot',
      fields: [LOGIN],
      hidden: {},
      submit: 'Send the link',
      after: html`<p class="foot">Remember it? <a href="/login">Log in</a></p>`,
      tried,
    },
    context,
  );
}

export function noMailScreen({ baseUrl }: FormsContext): Promise<Response> {
  const title = 'Ask an administrator';
  const body = html`<section class="card">
<h1>${title}</h1>
<p>This server does not send mail. An administrator can give you a link to set a new password.</p>
<p class="foot">Remember it? <a href="/login">Log in</a></p>
</section>`;
  return screen({ title, body }, { baseUrl });
}

/** The same for every name, so that nobody learns who has an account. */
export function sentScreen({ baseUrl }: FormsContext): Promise<Response> {
  const title = 'Check your mail';
  const body = html`<section class="card">
<h1>${title}</h1>
<p>If there is such an account, a link is on its way to its e-mail address. It works once, for one hour.</p>
<p>No mail? Check your spam folder, or <a href="/forgot">try another name or address</a>.</p>
<p class="foot"><a href="/login">Go to the login page</a></p>
</section>`;
  return screen({ title, body }, { baseUrl });
}

export interface ResetTarget {
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
      title: 'Set a new password',
      intro: `For the account ${user.username}. This logs the account out everywhere, and removes its tokens and connected apps.`,
      action: '/reset',
      fields: [{ ...NEW_PASSWORD, label: 'New password' }],
      hidden: { code, username: user.username },
      submit: 'Set the password',
      tried,
    },
    context,
  );
}

/** The password is set, and more is needed to log in. */
export function passwordSetScreen({ baseUrl }: FormsContext, why: string): Promise<Response> {
  const title = 'Your password has changed';
  const body = html`<section class="card">
<h1>${title}</h1>
<p>${why}</p>
<p class="actions"><a class="button" href="/login">Go to the login page</a></p>
</section>`;
  return screen({ title, body }, { baseUrl });
}

export function confirmScreen(
  context: FormsContext,
  { user, email, code }: ResetTarget & { email: string },
): Promise<Response> {
  return formScreen(
    {
      title: 'Confirm your address',
      intro: `Is ${email} the address of the account ${user.username}?`,
      action: '/confirm',
      fields: [],
      hidden: { code },
      submit: 'Confirm the address',
      after: html`<p class="foot">Not your account? Close this page. Nothing changes.</p>`,
    },
    context,
  );
}

export function confirmedScreen(
  { baseUrl }: FormsContext,
  { username, email }: Pick<KnownUser, 'username' | 'email'>,
): Promise<Response> {
  const title = 'The address is confirmed';
  const body = html`<section class="card">
<h1>${title}</h1>
<p><strong>${email}</strong> is the address of the account <strong>${username}</strong>.</p>
<p class="actions"><a class="button" href="/">Go to the start page</a></p>
</section>`;
  return screen({ title, body }, { baseUrl });
}

export function linkGoneScreen(
  { baseUrl }: FormsContext,
  kind: 'reset' | 'confirm',
  { message, status }: { message: string; status: number },
): Promise<Response> {
  const title = 'This link does not work';
  const again =
    kind === 'reset'
      ? html`<a class="button" href="/forgot">Get a new link</a>`
      : html`<a class="button" href="/account/profile">Go to your account</a>`;
  const body = html`<section class="card">
<h1>${title}</h1>
<p>${message}</p>
<p class="actions">${again}</p>
</section>`;
  return screen({ title, body }, { status, baseUrl });
}
