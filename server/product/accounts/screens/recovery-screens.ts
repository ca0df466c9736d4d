import { ForgottenPassword, PasswordReset } from '../../../../contract/accounts/own-account.ts';
import { AppError } from '../../../lib/errors.ts';
import { type CookieJar, type Route, seeOther, validate } from '../../../platform/http/index.ts';
import { confirmAddress, type EmailContext } from '../links/email.ts';
import type { ForgottenPasswords } from '../links/forgotten.ts';
import { readLink } from '../links/links.ts';
import { type ResetContext, resetPassword } from '../links/reset.ts';
import type { KnownDevices } from '../logins/known-devices.ts';
import type { KnownUser } from '../logins/password-check.ts';
import type { SignIn } from '../logins/sign-in.ts';
import type { LinkKind } from '../model/link-store.ts';
import { listHelpers } from '../model/store.ts';
import type { FormsContext } from './account-forms.ts';
import {
  askedScreen,
  confirmedScreen,
  confirmScreen,
  forgotScreen,
  linkGoneScreen,
  passwordSetScreen,
  resetScreen,
  sentScreen,
} from './recovery-forms.ts';
import { orAgain, pick, type ScreenInput, screenRoute } from './screen-route.ts';

/** How long the code of a link stays in a cookie after it was removed from the URL. */
const CODE_SECONDS = 3600;
/** Administrators whom the screen names. */
const MAX_HELPERS = 3;

/** The dependencies of the recovery screens. */
export interface RecoveryContext extends FormsContext, EmailContext, ResetContext {
  cookies: CookieJar;
  forgotten: ForgottenPasswords;
  signIn: SignIn;
  devices: KnownDevices;
}

/** Screens for a forgotten password, and for the links in mail. */
export function recoveryScreens(context: RecoveryContext): Route[] {
  return [...forgotScreens(context), ...resetScreens(context), ...confirmScreens(context)];
}

function forgotScreens(context: RecoveryContext): Route[] {
  const { db, forgotten } = context;
  const findHelpers = async () => (forgotten.sendsLinks ? undefined : listHelpers(db, MAX_HELPERS));
  return [
    screenRoute('GET', '/forgot', async () => forgotScreen(context, await findHelpers())),
    screenRoute('POST', '/forgot', async ({ form, address }) => {
      const helpers = await findHelpers();
      return orAgain(context, forgotScreen, helpers, form, async () => {
        const { username } = validate(ForgottenPassword, pick(form, ['username']));
        await forgotten.request(username, address);
        return helpers ? askedScreen(context, helpers) : sentScreen(context);
      });
    }),
  ];
}

function resetScreens(context: RecoveryContext): Route[] {
  const { db, now } = context;
  return [
    screenRoute('GET', '/reset', (input) =>
      withCode(context, 'reset', input, async (code) =>
        resetScreen(context, { ...(await readLink(db, 'reset', code, now())), code }),
      ),
    ),
    screenRoute('POST', '/reset', ({ form, address, request }) =>
      orGone(context, 'reset', async () => {
        const { code = '' } = form;
        const { user } = await readLink(db, 'reset', code, now());
        return orAgain(context, resetScreen, { user, code }, form, async () => {
          const given = validate(PasswordReset, { code, password: form.password });
          return logIn(context, await resetPassword(context, given, address), { request, address });
        });
      }),
    ),
  ];
}

function confirmScreens(context: RecoveryContext): Route[] {
  const { db, now } = context;
  return [
    screenRoute('GET', '/confirm', (input) =>
      withCode(context, 'confirm', input, async (code) => {
        const { user, email } = await readLink(db, 'confirm', code, now());
        return confirmScreen(context, { user, email, code });
      }),
    ),
    screenRoute('POST', '/confirm', ({ form }) =>
      orGone(context, 'confirm', async () => {
        const response = await confirmedScreen(context, await confirmAddress(context, form.code ?? ''));
        response.headers.append('set-cookie', context.cookies.clear(toCookieName('confirm')));
        return response;
      }),
    ),
  ];
}

const toCookieName = (kind: LinkKind) => `quire_${kind}`;

/**
 * Shows the screen of a link. Its code is first moved from the URL to a cookie, so that it stays neither in the
 * history nor in the Referer header. Opening the link does not use it up, because programs that scan mail open links too.
 */
async function withCode(
  context: RecoveryContext,
  kind: LinkKind,
  { query, request }: ScreenInput,
  show: (code: string) => Promise<Response>,
): Promise<Response> {
  const { cookies } = context;
  const given = query.code;
  if (given !== undefined && /^[\w-]{1,100}$/.test(given)) {
    const cookie = cookies.set(toCookieName(kind), given, CODE_SECONDS);
    return seeOther(`/${kind}`, { 'set-cookie': cookie, 'referrer-policy': 'no-referrer' });
  }
  return orGone(context, kind, () => show(cookies.read(request, toCookieName(kind)) ?? ''));
}

/** Shows a screen that says why the link does not work, if it does not. */
async function orGone(
  context: RecoveryContext,
  kind: LinkKind,
  show: () => Promise<Response>,
): Promise<Response> {
  try {
    return await show();
  } catch (error) {
    if (error instanceof AppError) return linkGoneScreen(context, kind, error);
    throw error;
  }
}

/** Logs in with the new password. If that is not enough, the login screen asks for the rest. */
async function logIn(
  context: RecoveryContext,
  user: KnownUser,
  { request, address }: Pick<ScreenInput, 'request' | 'address'>,
): Promise<Response> {
  const { cookies, signIn, devices } = context;
  const forget = cookies.clear(toCookieName('reset'));
  try {
    const response = seeOther('/', {
      'set-cookie': await signIn({ user, method: 'password', request, address }),
    });
    response.headers.append('set-cookie', devices.remember(request, user.id));
    response.headers.append('set-cookie', forget);
    return response;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const response = await passwordSetScreen(context, error);
    response.headers.append('set-cookie', forget);
    return response;
  }
}
