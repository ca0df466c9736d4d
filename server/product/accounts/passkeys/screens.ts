import { z } from 'zod';
import { AppError } from '../../../lib/errors.ts';
import { type Route, route, seeOther } from '../../../platform/http/index.ts';
import { html, say, sendScript, t } from '../../../sites/screens/index.ts';
import { findRemovalLink } from '../logins/sign-in.ts';
import { type FormTargets, leadingTo } from '../screens/account-forms.ts';
import { type Field, formScreen, type Tried } from '../screens/form-screen.ts';
import { PASSKEY_SCRIPT, passkeyButton } from '../screens/passkey-button.ts';
import type { PasskeysContext } from './context.ts';
import { assertFirst } from './login-routes.ts';
import type { PendingLogin } from './pending-login.ts';

const SECOND_FACTOR = '/login/second-factor';
const CODE: Field = {
  name: 'code',
  label: 'Recovery code',
  autocomplete: 'one-time-code',
  hint: 'One of the codes that you saved when you turned on the second factor. Each works once.',
};

interface ScreenContext extends PasskeysContext, FormTargets {
  baseUrl: string;
}

export function passkeyScreens(context: ScreenContext): Route[] {
  const { pendingLogins } = context;
  return [
    route({
      method: 'GET',
      path: SECOND_FACTOR,
      access: { kind: 'screen' },
      summary: 'Asks for a passkey after the password',
      async handle({ request }) {
        const pending = await pendingLogins.find(request);
        return pending ? secondFactorScreen(context, pending) : seeOther('/login');
      },
    }),
    route({
      method: 'POST',
      path: SECOND_FACTOR,
      access: { kind: 'account door' },
      summary: 'Takes a recovery code instead',
      body: z.record(z.string(), z.string()),
      acceptsForm: true,
      async handle({ body, request, address }) {
        const pending = await pendingLogins.find(request);
        if (!pending) return seeOther('/login');
        try {
          return await enterWithCode(context, pending, body.code ?? '', { request, address });
        } catch (error) {
          const leaving = findRemovalLink(error);
          if (leaving !== undefined) return seeOther(leaving);
          if (error instanceof AppError) return secondFactorScreen(context, pending, { error });
          throw error;
        }
      },
    }),
    route({
      method: 'GET',
      path: PASSKEY_SCRIPT,
      access: { kind: 'public' },
      summary: 'The script of the login screens',
      handle: sendScript('dashboard/login/passkey.ts'),
    }),
  ];
}

async function enterWithCode(
  { pendingLogins, secondFactor, signIn }: ScreenContext,
  pending: PendingLogin,
  code: string,
  from: { request: Request; address: string },
): Promise<Response> {
  const { user, next } = pending;
  // A login that cannot continue does not use up a code.
  await secondFactor.spendCode(user, code, () => assertFirst(pendingLogins, pending));
  const cookie = await signIn({ user, method: 'recovery code', ...from });
  const response = seeOther(next, { 'set-cookie': cookie });
  response.headers.append('set-cookie', pendingLogins.clear());
  return response;
}

async function secondFactorScreen(
  context: ScreenContext,
  { user, next }: PendingLogin,
  tried: Tried = {},
): Promise<Response> {
  return formScreen(
    {
      title: t('Use your passkey'),
      intro: t('Your password is correct. Now confirm with a passkey that you are {username}.', {
        username: user.username,
      }),
      before: html`${passkeyButton('second factor')}<noscript><p>${t('Passkeys need JavaScript. Turn it on, or use a recovery code.')}</p></noscript>`,
      action: SECOND_FACTOR,
      fields: [CODE],
      hidden: {},
      submit: t('Use a recovery code'),
      after: html`<p class="foot">${say`Lost your passkeys and your codes? Ask an administrator of this server. <a href="/login?next=${encodeURIComponent(next)}">Start again</a>`}</p>`,
      script: PASSKEY_SCRIPT,
      tried,
    },
    await leadingTo(context, next),
  );
}
