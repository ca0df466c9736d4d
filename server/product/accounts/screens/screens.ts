import { z } from 'zod';
import { Credentials, Registration } from '../../../../contract/accounts.ts';
import { AppError } from '../../../lib/errors.ts';
import { type Actor, type Route, route, seeOther, validate } from '../../../platform/http/index.ts';
import type { AccountsContext } from '../context.ts';
import type { Setup } from '../setup.ts';
import { loginScreen, registerScreen, setupAsScreen, setupScreen } from './account-forms.ts';
import type { Tried } from './form-screen.ts';
import {
  administratorScreen,
  closedScreen,
  loggedOutScreen,
  logoutScreen,
  setupGoneScreen,
} from './notice-screens.ts';

/** The account screens: plain forms without script, out of reach of published pages. */

interface ScreensContext extends AccountsContext {
  baseUrl: string;
  setup: Setup;
  /** Origins that a form can lead to: ours, and the hosts of pages, because a login can lead back to one. */
  formTargets: string;
  domainBehind(path: string): Promise<string | undefined>;
}

const Query = z.object({
  next: z.string().optional(),
  code: z.string().optional(),
  /** True if a logged-in user wants to log in with another name. */
  other: z.string().optional(),
});
const Form = z.record(z.string(), z.string());

export function accountScreens(context: ScreensContext): Route[] {
  return [...loginScreens(context), ...logoutScreens(context), ...setupScreens(context)];
}

function loginScreens(context: ScreensContext): Route[] {
  const { baseUrl } = context;
  const isOpen = context.registration === 'open';
  return [
    screenRoute('GET', '/login', async ({ query, actor }) => {
      const next = safeNext(query.next, baseUrl);
      return actor ? seeOther(next) : loginScreen(context, next);
    }),
    screenRoute('POST', '/login', async ({ form, address, request }) => {
      const next = safeNext(form.next, baseUrl);
      return orAgain(context, loginScreen, next, form, async () => {
        const credentials = validate(Credentials, pick(form, ['username', 'password']));
        const user = await context.checkCredentials(credentials, address);
        return enter(context, next, user, request);
      });
    }),
    screenRoute('GET', '/register', async ({ query, actor }) => {
      const next = safeNext(query.next, baseUrl);
      if (actor) return seeOther(next);
      return isOpen ? registerScreen(context, next) : closedScreen(next, baseUrl);
    }),
    screenRoute('POST', '/register', async ({ form, address, request }) => {
      const next = safeNext(form.next, baseUrl);
      if (!isOpen) return closedScreen(next, baseUrl);
      return orAgain(context, registerScreen, next, form, async () => {
        const registration = validate(Registration, pick(form, ['username', 'email', 'password']));
        const user = await context.register(registration, address);
        return enter(context, next, user, request);
      });
    }),
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
        // Logged out meanwhile: use the name and password.
        if (!actor) return setupScreen(context, code);
        await setup.promote(code, actor);
        return seeOther('/setup/done');
      }
      return orAgain(context, setupScreen, code, form, async () => {
        const user = form.email
          ? await context.register(
              validate(Registration, pick(form, ['username', 'email', 'password'])),
              address,
            )
          : await context.checkCredentials(
              validate(Credentials, pick(form, ['username', 'password'])),
              address,
            );
        await setup.promote(code, user);
        return enter(context, '/setup/done', user, request);
      });
    }),
  ];
}

/** Starts a session and redirects. */
async function enter(
  { sessions }: ScreensContext,
  next: string,
  user: { id: number },
  request: Request,
): Promise<Response> {
  const userAgent = request.headers.get('user-agent') ?? '';
  return seeOther(next, { 'set-cookie': await sessions.start(user, userAgent) });
}

interface ScreenInput {
  query: z.infer<typeof Query>;
  form: Record<string, string>;
  actor: Actor | undefined;
  address: string;
  request: Request;
}

function screenRoute(
  method: 'GET' | 'POST',
  path: string,
  handle: (input: ScreenInput) => Promise<Response>,
): Route {
  const summary = `The account page ${path}`;
  if (method === 'GET') {
    return route({
      method,
      path,
      access: { kind: 'screen' },
      summary,
      query: Query,
      handle: (input) => handle({ ...input, form: {} }),
    });
  }
  return route({
    method,
    path,
    access: { kind: 'account door' },
    summary,
    body: Form,
    acceptsForm: true,
    handle: (input) => handle({ ...input, form: input.body, query: {} }),
  });
}

/** Shows the form again with the error, if it is an expected one. */
async function orAgain(
  context: ScreensContext,
  again: (context: ScreensContext, target: string, tried: Tried) => Promise<Response>,
  target: string,
  form: Record<string, string>,
  attempt: () => Promise<Response>,
): Promise<Response> {
  try {
    return await attempt();
  } catch (error) {
    if (error instanceof AppError) return again(context, target, { error, form });
    throw error;
  }
}

/** Longer than any URL that browsers accept. */
const MAX_NEXT_LETTERS = 4_000;

/**
 * Where to go afterwards: only to a URL of ours, so that a link to the login screen cannot lead to another
 * site.
 */
function safeNext(next: string | undefined, baseUrl: string): string {
  const target = next?.startsWith('/') && next.length <= MAX_NEXT_LETTERS ? URL.parse(next, baseUrl) : null;
  // `/.//evil.example` has our origin, but its path alone would lead to another site.
  if (target?.origin !== baseUrl || target.pathname.startsWith('//')) return '/';
  return target.pathname + target.search + target.hash;
}

/** The keyboards of phones often add a space after a word. A password is not changed. */
function pick(form: Record<string, string>, names: string[]): Record<string, string | undefined> {
  return Object.fromEntries(
    names.map((name) => [name, name === 'password' ? form[name] : form[name]?.trim()]),
  );
}
