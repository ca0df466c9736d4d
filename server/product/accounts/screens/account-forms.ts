import type { RegistrationMode } from '../../../../contract/accounts/registration-modes.ts';
import type { Actor } from '../../../platform/http/index.ts';
import { look } from '../../../platform/service-settings/index.ts';
import { type Html, html, say, t } from '../../../sites/screens/index.ts';
import { BUILD_BELOW, PUBLISH_BELOW, type PublishIntents, TRY_PATH } from '../../../sites/templates/index.ts';
import type { Admission } from '../registration/admission.ts';
import { type Field, formScreen, type Tried } from './form-screen.ts';
import { PASSKEY_SCRIPT, passkeyButton } from './passkey-button.ts';
import { continueButton } from './provider-button.ts';

/** The forms of the account screens. */

/** The targets that forms can lead to. */
export interface FormTargets {
  /** Origins that a form can lead to: ours, and the hosts of pages, because a login can lead back to one. */
  formTargets: string;
  /** The domain of a page that a path of ours redirects to, if any. */
  domainBehind(path: string): Promise<string | undefined>;
}

/** The dependencies of the forms. */
export interface FormsContext extends FormTargets {
  baseUrl: string;
  admission: Pick<Admission, 'mode'>;
  /** The single sign-on provider, if there is one. */
  singleSignOn: { name: string } | undefined;
  publishIntents: Pick<PublishIntents, 'find'>;
}

/** Where a form leads to, and the request for the form. */
export interface FormTarget {
  next: string;
  request: Request;
}

const USERNAME: Field = { name: 'username', label: 'Username', autocomplete: 'username' };
export const LOGIN: Field = { ...USERNAME, label: 'Username or e-mail' };
const NEW_USERNAME: Field = {
  ...USERNAME,
  hint: '3 to 32 characters: a-z, 0-9, _ and -.',
};
const EMAIL: Field = { name: 'email', label: 'E-mail', type: 'email', autocomplete: 'email' };
const PASSWORD: Field = {
  name: 'password',
  label: 'Password',
  type: 'password',
  autocomplete: 'current-password',
};
export const NEW_PASSWORD: Field = {
  ...PASSWORD,
  autocomplete: 'new-password',
  hint: 'At least 8 characters.',
};

function returnHint({ publishIntents }: FormsContext, { next, request }: FormTarget): { intro?: string } {
  if (next === '/') return {};
  if (isBuildPath(next) && publishIntents.find(request, next))
    return { intro: t('Then your page is built, and you watch it grow.') };
  if (!next.startsWith(`${TRY_PATH}${PUBLISH_BELOW}?`))
    return { intro: t('Then you return to where you were.') };
  return {
    intro: publishIntents.find(request, next)
      ? t('Then your page goes live at once.')
      : t('Then you can publish your page.'),
  };
}

const isBuildPath = (next: string) => next.startsWith(`${TRY_PATH}${BUILD_BELOW}?`);

/** Another way for people who want a page to be built, and have no account. */
function orTemplate(next: string): Html | '' {
  if (!isBuildPath(next)) return '';
  const address = TRY_PATH + next.slice(TRY_PATH.length + BUILD_BELOW.length);
  return html`<p class="foot">${say`Or <a href="${address}">try a template at once</a>, without an account.`}</p>`;
}

export async function loginScreen(
  context: FormsContext,
  target: FormTarget,
  tried: Tried = {},
): Promise<Response> {
  const { next } = target;
  return formScreen(
    {
      title: t('Log in'),
      description: t('Log in to {name} to publish and change your pages.', { name: look().name }),
      ...returnHint(context, target),
      action: '/login',
      // The browser offers passkeys with the usernames.
      fields: [{ ...LOGIN, autocomplete: 'username webauthn' }, PASSWORD],
      hidden: { next },
      submit: t('Log in'),
      after: html`${passkeyButton('login')}<p class="foot"><a href="/forgot">${t('Forgot your password?')}</a></p>
${otherWays(context, { next })}${NEWCOMERS[await context.admission.mode()](next)}`,
      script: PASSKEY_SCRIPT,
      tried,
    },
    await leadingTo(context, next),
  );
}

/** The text of the login screen for people without an account, by registration mode. */
const NEWCOMERS: Record<RegistrationMode, (next: string) => Html> = {
  open: (next) =>
    html`<p class="foot">${say`New here? <a href="/register?next=${encodeURIComponent(next)}">Create an account</a>`}</p>${orTemplate(next)}`,
  invite: () =>
    html`<p class="foot">${t('New here? You need an invite from an administrator of this server.')}</p>`,
  closed: () => html`<p class="foot">${t('Only the operator of this server can create accounts.')}</p>`,
};

/** Where registration leads to, and the invite that it uses, if any. */
export interface RegisterTarget {
  next: string;
  invite?: string | undefined;
  note?: string;
}

export async function registerScreen(
  context: FormsContext,
  { next, invite, note, request }: RegisterTarget & FormTarget,
  tried: Tried = {},
): Promise<Response> {
  return formScreen(
    {
      title: t('Create an account'),
      description: t('Create an account on {name} to publish pages with functions, databases and data.', {
        name: look().name,
      }),
      ...(note ? { intro: t('You are invited: {note}', { note }) } : returnHint(context, { next, request })),
      action: '/register',
      fields: [NEW_USERNAME, EMAIL, NEW_PASSWORD],
      hidden: { next, ...(invite && { invite }) },
      submit: t('Create account'),
      after: html`${otherWays(context, { next, invite })}<p class="foot">${say`Have one already? <a href="/login?next=${encodeURIComponent(next)}">Log in</a>`}</p>${invite ? '' : orTemplate(next)}`,
      tried,
    },
    await leadingTo(context, next),
  );
}

/** Buttons to log in and register without a password. */
function otherWays({ singleSignOn }: FormsContext, target: RegisterTarget): Html | '' {
  return singleSignOn ? continueButton(singleSignOn.name, target) : '';
}

/** Allows a form to redirect to a page's domain: browsers check every redirect after a form. */
export async function leadingTo<Context extends FormTargets>(
  context: Context,
  next: string,
): Promise<Context> {
  const domain = await context.domainBehind(next);
  return domain ? { ...context, formTargets: `${context.formTargets} ${domain}` } : context;
}

export function setupScreen(context: FormsContext, code: string, tried: Tried = {}): Promise<Response> {
  return formScreen(
    {
      title: t('Set up Quire'),
      intro: t('Log in to make your account the administrator, or give an e-mail address to create one.'),
      action: '/setup',
      fields: [
        NEW_USERNAME,
        { ...EMAIL, hint: 'Only for a new account.', isOptional: true },
        { ...NEW_PASSWORD, autocomplete: 'current-password' },
      ],
      hidden: { code },
      submit: t('Become administrator'),
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
      title: t('Set up Quire'),
      intro: t('You are logged in as {username}. This server has no administrator yet.', { username }),
      action: '/setup',
      fields: [],
      hidden: { code, as: 'me' },
      submit: t('Become administrator as {username}', { username }),
      after: html`<p class="foot">${say`Not you? <a href="/setup?code=${encodeURIComponent(code)}&amp;other=yes">Use another account</a>`}</p>`,
    },
    context,
  );
}
