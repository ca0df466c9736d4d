import { Credentials, Registration } from '../../../../contract/accounts/accounts.ts';
import { AppError } from '../../../lib/errors.ts';
import { type Route, seeOther, validate } from '../../../platform/http/index.ts';
import type { CheckCredentials, KnownUser } from '../logins/password-check.ts';
import type { Sessions } from '../logins/sessions.ts';
import { SecondFactorError } from '../logins/sign-in.ts';
import type { Admission } from '../registration/admission.ts';
import type { Register } from '../registration/register.ts';
import type { Setup } from '../registration/setup.ts';
import {
  loginScreen,
  type RegisterTarget,
  registerScreen,
  setupAsScreen,
  setupScreen,
} from './account-forms.ts';
import {
  administratorScreen,
  cannotRegisterScreen,
  loggedOutScreen,
  logoutScreen,
  setupGoneScreen,
} from './notice-screens.ts';
import { type RecoveryContext, recoveryScreens } from './recovery-screens.ts';
import { orAgain, pick, type ScreenInput, screenRoute } from './screen-route.ts';

/** The account screens: plain forms that work without script, out of reach of published pages. */

export interface ScreensContext extends RecoveryContext {
  /** Decides who can create an account. */
  admission: Admission;
  setup: Setup;
  checkCredentials: CheckCredentials;
  register: Register;
  /** Registers the first administrator, in any mode. */
  registerAnyway: Register;
  sessions: Sessions;
  /** Asks for the second factor after a correct password. */
  askSecondFactor(user: KnownUser, next: string): Response;
}

export function accountScreens(context: ScreensContext): Route[] {
  return [
    ...loginScreens(context),
    ...logoutScreens(context),
    ...setupScreens(context),
    ...recoveryScreens(context),
  ];
}

function loginScreens(context: ScreensContext): Route[] {
  const { baseUrl } = context;
  return [
    screenRoute('GET', '/login', async ({ query, actor, request }) => {
      const next = safeNext(query.next, baseUrl);
      return actor ? seeOther(next) : loginScreen(context, { next, request });
    }),
    screenRoute('POST', '/login', async ({ form, address, request }) => {
      const next = safeNext(form.next, baseUrl);
      return orAgain(context, loginScreen, { next, request }, form, async () => {
        const credentials = validate(Credentials, pick(form, ['username', 'password']));
        const user = await context.checkCredentials(credentials, { request, address });
        return enter(context, next, user, { request, address });
      });
    }),
    screenRoute('GET', '/register', async ({ query, actor, address, request }) => {
      const next = safeNext(query.next, baseUrl);
      if (actor) return seeOther(next);
      return orRefused(context, { next, invite: query.invite }, address, (target) =>
        registerScreen(context, { ...target, request }),
      );
    }),
    {
      ...screenRoute('POST', '/register', async ({ form, address, request }) => {
        const next = safeNext(form.next, baseUrl);
        const invite = form.invite || undefined;
        return orRefused(context, { next, invite }, address, (target) =>
          orAgain(context, registerScreen, { ...target, request }, form, async () => {
            const given = { ...pick(form, ['username', 'email', 'password']), ...(invite && { invite }) };
            const user = await context.register(validate(Registration, given), address);
            return enter(context, next, user, { request, address });
          }),
        );
      }),
      stores: true,
    },
  ];
}

function logoutScreens(context: ScreensContext): Route[] {
  const { baseUrl } = context;
  return [
    screenRoute('GET', '/logout', async ({ query, actor }) => {
      const next = safeNext(query.next, baseUrl);
      if (!actor) return loggedOutScreen(next, baseUrl);
      return logoutScreen(next, actor.username, context);
    }),
    screenRoute('POST', '/logout', async ({ form, actor }) => {
      const cookie = await context.sessions.end(actor);
      const response = await loggedOutScreen(safeNext(form.next, baseUrl), baseUrl);
      response.headers.set('set-cookie', cookie);
      return response;
    }),
  ];
}

function setupScreens(context: ScreensContext): Route[] {
  const { baseUrl, setup } = context;
  return [
    screenRoute('GET', '/setup', async ({ query, actor }) => {
      const code = query.code ?? '';
      if (!(await setup.isOpen(code))) return setupGoneScreen(baseUrl);
      return actor && !query.other ? setupAsScreen(context, code, actor) : setupScreen(context, code);
    }),
    screenRoute('GET', '/setup/done', async ({ actor }) =>
      actor?.isAdmin ? administratorScreen(actor.username, baseUrl) : seeOther('/'),
    ),
    screenRoute('POST', '/setup', async ({ form, actor, address, request }) => {
      const code = form.code ?? '';
      if (!(await setup.isOpen(code))) return setupGoneScreen(baseUrl);
      if (form.as === 'me') {
        // The person has logged out in the meantime, so ask for name and password.
        if (!actor) return setupScreen(context, code);
        await setup.promote(code, { id: actor.userId, username: actor.username }, address);
        return seeOther('/setup/done');
      }
      return orAgain(context, setupScreen, code, form, async () => {
        const user = form.email
          ? await context.registerAnyway(
              validate(Registration, pick(form, ['username', 'email', 'password'])),
              address,
            )
          : await context.checkCredentials(validate(Credentials, pick(form, ['username', 'password'])), {
              request,
              address,
            });
        // The password alone is not enough. After the second factor, the person returns here logged in.
        if (user.needs_second_factor === 1)
          return enter(context, `/setup?code=${encodeURIComponent(code)}`, user, { request, address });
        // Log in first, so that an account that is suspended or about to be deleted does not use the link up.
        const entered = await enter(context, '/setup/done', user, { request, address });
        await setup.promote(code, user, address);
        return entered;
      });
    }),
  ];
}

/** Shows the registration form, or why this person cannot register. */
export async function orRefused(
  { admission, baseUrl, singleSignOn }: ScreensContext,
  { next, invite }: { next: string; invite?: string | undefined },
  address: string,
  show: (target: RegisterTarget) => Promise<Response>,
): Promise<Response> {
  try {
    const { note } = await admission.look(invite, address);
    return await show({ next, invite, note });
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const mode = await admission.mode();
    const refused = { error, mode, hasInvite: invite !== undefined, singleSignOn };
    return cannotRegisterScreen(next, refused, baseUrl);
  }
}

/** Starts a session and redirects, or asks for the second factor first. */
async function enter(
  { signIn, askSecondFactor, devices }: ScreensContext,
  next: string,
  user: KnownUser,
  { request, address }: Pick<ScreenInput, 'request' | 'address'>,
): Promise<Response> {
  try {
    const cookie = await signIn({ user, method: 'password', request, address });
    const response = seeOther(next, { 'set-cookie': cookie });
    response.headers.append('set-cookie', devices.remember(request, user.id));
    return response;
  } catch (error) {
    if (error instanceof SecondFactorError) return askSecondFactor(user, next);
    throw error;
  }
}

/** Characters of `next`: more than any URL that browsers accept. */
const MAX_NEXT_LETTERS = 4_000;

/**
 * The URL to go to after a form: only a URL of ours, so that a link to the login screen cannot lead to another
 * site.
 */
export function safeNext(next: string | undefined, baseUrl: string): string {
  const target = next?.startsWith('/') && next.length <= MAX_NEXT_LETTERS ? URL.parse(next, baseUrl) : null;
  // `/.//evil.example` has our origin, but its path alone would lead to another site.
  if (target?.origin !== baseUrl || target.pathname.startsWith('//')) return '/';
  return target.pathname + target.search + target.hash;
}
