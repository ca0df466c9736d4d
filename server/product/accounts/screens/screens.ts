import { z } from 'zod';
import { Credentials, Registration } from '../../../../contract/accounts.ts';
import { AppError } from '../../../lib/errors.ts';
import { type Actor, type Route, route, seeOther, validate } from '../../../platform/http/index.ts';
import { html } from '../../../platform/screens/index.ts';
import type { AccountsContext } from '../routes.ts';
import type { Setup } from '../setup.ts';
import { type Field, formScreen, type Tried } from './form-screen.ts';
import {
  administratorScreen,
  closedScreen,
  loggedOutScreen,
  logoutScreen,
  setupGoneScreen,
} from './notice-screens.ts';

/** The account pages that a person meets: plain forms, no script, out of reach of published pages. */

interface ScreensContext extends AccountsContext {
  baseUrl: string;
  setup: Setup;
  /** Origins that a form may lead to: ours, and the hosts of pages, since logging in leads back to one. */
  formTargets: string;
}

const Query = z.object({
  next: z.string().optional(),
  code: z.string().optional(),
  /** Whether somebody who is logged in wants to be asked for a name all the same. */
  other: z.string().optional(),
});
const Form = z.record(z.string(), z.string());

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

export function accountScreens(context: ScreensContext): Route[] {
  const { baseUrl, setup, formTargets } = context;
  const frame = { baseUrl, formTargets };
  const isOpen = context.registration === 'open';
  const comeBack = (next: string) =>
    next === '/' ? {} : { intro: 'After this you are back where you were.' };

  const loginScreen = (next: string, tried: Tried = {}) =>
    formScreen(
      {
        title: 'Log in',
        ...comeBack(next),
        action: '/login',
        fields: [USERNAME, PASSWORD],
        hidden: { next },
        submit: 'Log in',
        after: isOpen
          ? html`<p class="foot">New here? <a href="/register?next=${encodeURIComponent(next)}">Create an account</a></p>`
          : html`<p class="foot">New accounts are made by whoever runs this server.</p>`,
        tried,
      },
      frame,
    );

  const registerScreen = (next: string, tried: Tried = {}) =>
    formScreen(
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
      frame,
    );

  const setupScreen = (code: string, tried: Tried = {}) =>
    formScreen(
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
      frame,
    );

  const setupAsScreen = (code: string, { username }: Actor) =>
    formScreen(
      {
        title: 'Set up Quire',
        intro: `You are logged in as ${username}. This server has no administrator yet.`,
        action: '/setup',
        fields: [],
        hidden: { code, as: 'me' },
        submit: `Become administrator as ${username}`,
        after: html`<p class="foot">Not you? <a href="/setup?code=${encodeURIComponent(code)}&amp;other=yes">Use another account</a></p>`,
      },
      frame,
    );

  const enter = async (next: string, user: { id: number }, request: Request) =>
    seeOther(next, {
      'set-cookie': await context.sessions.start(user, request.headers.get('user-agent') ?? ''),
    });

  return [
    screenRoute('GET', '/login', async ({ query, actor }) => {
      const next = safeNext(query.next, baseUrl);
      return actor ? seeOther(next) : loginScreen(next);
    }),
    screenRoute('POST', '/login', async ({ form, address, request }) => {
      const next = safeNext(form.next, baseUrl);
      return orAgain(loginScreen, next, form, async () => {
        const credentials = validate(Credentials, pick(form, ['username', 'password']));
        const user = await context.checkCredentials(credentials, address);
        return enter(next, user, request);
      });
    }),
    screenRoute('GET', '/register', async ({ query, actor }) => {
      const next = safeNext(query.next, baseUrl);
      if (actor) return seeOther(next);
      return isOpen ? registerScreen(next) : closedScreen(next, baseUrl);
    }),
    screenRoute('POST', '/register', async ({ form, address, request }) => {
      const next = safeNext(form.next, baseUrl);
      if (!isOpen) return closedScreen(next, baseUrl);
      return orAgain(registerScreen, next, form, async () => {
        const registration = validate(Registration, pick(form, ['username', 'email', 'password']));
        const user = await context.register(registration, address);
        return enter(next, user, request);
      });
    }),
    screenRoute('GET', '/logout', async ({ query, actor }) => {
      const next = safeNext(query.next, baseUrl);
      if (!actor) return loggedOutScreen(next, baseUrl);
      return logoutScreen(next, actor.username, frame);
    }),
    screenRoute('POST', '/logout', async ({ form, actor }) => {
      const cookie = await context.sessions.end(actor);
      const response = await loggedOutScreen(safeNext(form.next, baseUrl), baseUrl);
      response.headers.set('set-cookie', cookie);
      return response;
    }),
    screenRoute('GET', '/setup', async ({ query, actor }) => {
      const code = query.code ?? '';
      if (!(await setup.isOpen(code))) return setupGoneScreen(baseUrl);
      return actor && !query.other ? setupAsScreen(code, actor) : setupScreen(code);
    }),
    screenRoute('GET', '/setup/done', async ({ actor }) =>
      actor?.isAdmin ? administratorScreen(actor.username, baseUrl) : seeOther('/'),
    ),
    screenRoute('POST', '/setup', async ({ form, actor, address, request }) => {
      const code = form.code ?? '';
      if (!(await setup.isOpen(code))) return setupGoneScreen(baseUrl);
      if (form.as === 'me') {
        // Logged out meanwhile: then by name and password.
        if (!actor) return setupScreen(code);
        await setup.promote(code, actor);
        return seeOther('/setup/done');
      }
      return orAgain(setupScreen, code, form, async () => {
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
        return enter('/setup/done', user, request);
      });
    }),
  ];
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

/** Shows the form again, with what went wrong, when an expected failure comes of it. */
async function orAgain(
  again: (target: string, tried: Tried) => Promise<Response>,
  target: string,
  form: Record<string, string>,
  attempt: () => Promise<Response>,
): Promise<Response> {
  try {
    return await attempt();
  } catch (error) {
    if (error instanceof AppError) return again(target, { error, form });
    throw error;
  }
}

/** Longer than any address that browsers take. */
const MAX_NEXT_LETTERS = 4_000;

/** Where to go afterwards: only to an address of ours, so that a link to the login page cannot lead people astray. */
function safeNext(next: string | undefined, baseUrl: string): string {
  const target = next?.startsWith('/') && next.length <= MAX_NEXT_LETTERS ? URL.parse(next, baseUrl) : null;
  // `/.//evil.example` is of our origin, but what is left of it without the origin is not.
  if (target?.origin !== baseUrl || target.pathname.startsWith('//')) return '/';
  return target.pathname + target.search + target.hash;
}

/** Keyboards of phones like to end a word with a space. A password is taken as it is. */
function pick(form: Record<string, string>, names: string[]): Record<string, string | undefined> {
  return Object.fromEntries(
    names.map((name) => [name, name === 'password' ? form[name] : form[name]?.trim()]),
  );
}
