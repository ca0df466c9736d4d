import type { Actor } from '../../../platform/http/index.ts';
import { html } from '../../../platform/screens/index.ts';
import { type Field, formScreen, type Tried } from './form-screen.ts';

/** The forms of the account screens. */

/** What the forms need to know. */
interface FormsContext {
  baseUrl: string;
  /** Origins that a form can lead to: ours, and the hosts of pages, because a login can lead back to one. */
  formTargets: string;
  /** The domain that a path of ours leads on to, if it does. */
  domainBehind(path: string): Promise<string | undefined>;
  registration: 'open' | 'closed';
}

const USERNAME: Field = { name: 'username', label: 'Username', autocomplete: 'username' };
const NEW_USERNAME: Field = {
  ...USERNAME,
  hint: '3 to 32 of a-z, 0-9, _ and -; always lower case.',
};
const EMAIL: Field = { name: 'email', label: 'E-mail', type: 'email', autocomplete: 'email' };
const PASSWORD: Field = {
  name: 'password',
  label: 'Password',
  type: 'password',
  autocomplete: 'current-password',
};
const NEW_PASSWORD: Field = { ...PASSWORD, autocomplete: 'new-password', hint: 'At least 8 characters.' };

const comeBack = (next: string) => (next === '/' ? {} : { intro: 'After this you are back where you were.' });

export async function loginScreen(context: FormsContext, next: string, tried: Tried = {}): Promise<Response> {
  return formScreen(
    {
      title: 'Log in',
      ...comeBack(next),
      action: '/login',
      fields: [USERNAME, PASSWORD],
      hidden: { next },
      submit: 'Log in',
      after:
        context.registration === 'open'
          ? html`<p class="foot">New here? <a href="/register?next=${encodeURIComponent(next)}">Create an account</a></p>`
          : html`<p class="foot">Only the operator of this server can create accounts.</p>`,
      tried,
    },
    await leadingTo(context, next),
  );
}

export async function registerScreen(
  context: FormsContext,
  next: string,
  tried: Tried = {},
): Promise<Response> {
  return formScreen(
    {
      title: 'Create an account',
      ...comeBack(next),
      action: '/register',
      fields: [NEW_USERNAME, EMAIL, NEW_PASSWORD],
      hidden: { next },
      submit: 'Create account',
      after: html`<p class="foot">Have one already? <a href="/login?next=${encodeURIComponent(next)}">Log in</a></p>`,
      tried,
    },
    await leadingTo(context, next),
  );
}

/** Browsers check every redirect after a form, so the form must be allowed to end on a page's domain. */
async function leadingTo(context: FormsContext, next: string): Promise<FormsContext> {
  const domain = await context.domainBehind(next);
  return domain ? { ...context, formTargets: `${context.formTargets} ${domain}` } : context;
}

export function setupScreen(context: FormsContext, code: string, tried: Tried = {}): Promise<Response> {
  return formScreen(
    {
      title: 'Set up Quire',
      intro: 'Log in to make your account the administrator, or give an e-mail address to create one.',
      action: '/setup',
      fields: [
        NEW_USERNAME,
        { ...EMAIL, hint: 'Only for a new account.', isOptional: true },
        { ...NEW_PASSWORD, autocomplete: 'current-password' },
      ],
      hidden: { code },
      submit: 'Become administrator',
      tried,
    },
    context,
  );
}

export function setupAsScreen(
  context: FormsContext,
  code: string,
  { username }: Pick<Actor, 'username'>,
): Promise<Response> {
  return formScreen(
    {
      title: 'Set up Quire',
      intro: `You are logged in as ${username}. This server has no administrator yet.`,
      action: '/setup',
      fields: [],
      hidden: { code, as: 'me' },
      submit: `Become administrator as ${username}`,
      after: html`<p class="foot">Not you? <a href="/setup?code=${encodeURIComponent(code)}&amp;other=yes">Use another account</a></p>`,
    },
    context,
  );
}
