import { z } from 'zod';
import { type Actor, AppError, html, type Route, route, screen, validate } from '../http/index.ts';
import { type AccountsContext, assertRegistrationOpen } from './routes.ts';
import { Credentials, Registration } from './schema.ts';
import type { Setup } from './setup.ts';

/** The account pages that a person meets: plain forms, no script, out of reach of published pages. */

interface ScreensContext extends AccountsContext {
  baseUrl: string;
  setup: Setup;
  /** Origins that a form may lead to: ours, and the hosts of pages, since logging in leads back to one. */
  formTargets: string;
}

const Query = z.object({ next: z.string().optional(), code: z.string().optional() });
const Form = z.record(z.string(), z.string());

interface Field {
  name: string;
  label: string;
  type?: string;
  autocomplete: string;
  hint?: string;
}

const USERNAME: Field = { name: 'username', label: 'Username', autocomplete: 'username' };
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

  const loginScreen = (next: string, tried: Tried = {}) =>
    formScreen({
      title: 'Log in',
      action: '/login',
      fields: [USERNAME, PASSWORD],
      hidden: { next },
      submit: 'Log in',
      after:
        context.registration === 'open'
          ? html`<p class="hint">New here? <a href="/register?next=${encodeURIComponent(next)}">Create an account</a></p>`
          : html``,
      tried,
    });

  const registerScreen = (next: string, tried: Tried = {}) =>
    formScreen({
      title: 'Create an account',
      action: '/register',
      fields: [USERNAME, EMAIL, NEW_PASSWORD],
      hidden: { next },
      submit: 'Create account',
      after: html`<p class="hint">Have one already? <a href="/login?next=${encodeURIComponent(next)}">Log in</a></p>`,
      tried,
    });

  const setupScreen = (code: string, tried: Tried = {}) =>
    formScreen({
      title: 'Set up Quire',
      intro: 'The account you name here becomes the administrator. If it does not exist yet, it is created.',
      action: '/setup',
      fields: [
        USERNAME,
        { ...EMAIL, hint: 'Only needed for a new account.' },
        { ...NEW_PASSWORD, autocomplete: 'current-password' },
      ],
      optional: ['email'],
      hidden: { code },
      submit: 'Become administrator',
      tried,
    });

  return [
    screenRoute('GET', '/login', async ({ query, actor }) => {
      const next = safeNext(query.next, baseUrl);
      return actor ? redirect(next) : loginScreen(next);
    }),
    screenRoute('POST', '/login', async ({ form, address, request }) => {
      const next = safeNext(form.next, baseUrl);
      return orAgain(loginScreen, next, form, async () => {
        const credentials = validate(Credentials, pick(form, ['username', 'password']));
        const user = await context.checkCredentials(credentials, address);
        return redirect(next, await context.sessions.start(user, request.headers.get('user-agent') ?? ''));
      });
    }),
    screenRoute('GET', '/register', async ({ query, actor }) => {
      assertRegistrationOpen(context.registration);
      const next = safeNext(query.next, baseUrl);
      return actor ? redirect(next) : registerScreen(next);
    }),
    screenRoute('POST', '/register', async ({ form, address, request }) => {
      assertRegistrationOpen(context.registration);
      const next = safeNext(form.next, baseUrl);
      return orAgain(registerScreen, next, form, async () => {
        const registration = validate(Registration, pick(form, ['username', 'email', 'password']));
        const user = await context.register(registration, address);
        return redirect(next, await context.sessions.start(user, request.headers.get('user-agent') ?? ''));
      });
    }),
    screenRoute('GET', '/logout', async ({ query, actor }) => {
      const next = safeNext(query.next, baseUrl);
      if (!actor) return signedOut(next);
      return formScreen({
        title: 'Log out?',
        intro: `You are logged in as ${actor.username}.`,
        action: '/logout',
        fields: [],
        hidden: { next },
        submit: 'Log out',
        after: html`<p class="hint"><a href="${next}">Stay logged in</a></p>`,
      });
    }),
    screenRoute('POST', '/logout', async ({ form, actor }) => {
      const cookie = await context.sessions.end(actor);
      const response = await signedOut(safeNext(form.next, baseUrl));
      response.headers.set('set-cookie', cookie);
      return response;
    }),
    screenRoute('GET', '/setup', async ({ query }) => {
      const code = query.code ?? '';
      await assertSetupOpen(setup, code);
      return setupScreen(code);
    }),
    screenRoute('POST', '/setup', async ({ form, address, request }) => {
      const code = form.code ?? '';
      await assertSetupOpen(setup, code);
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
        return redirect('/', await context.sessions.start(user, request.headers.get('user-agent') ?? ''));
      });
    }),
  ];

  function formScreen(options: FormOptions): Promise<Response> {
    const { tried = {} } = options;
    const inputs = options.fields.map(
      (field) => html`<label>${field.label}
<input name="${field.name}" type="${field.type ?? 'text'}" autocomplete="${field.autocomplete}" value="${field.type === 'password' ? '' : (tried.form?.[field.name] ?? '')}"${options.optional?.includes(field.name) ? '' : html` required`}>
${field.hint ? html`<span class="hint">${field.hint}</span>` : ''}</label>`,
    );
    const hidden = Object.entries(options.hidden).map(
      ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
    );
    const body = html`<section class="card">
<h1>${options.title}</h1>
${options.intro ? html`<p>${options.intro}</p>` : ''}
${tried.error ? html`<p class="error" role="alert">${tried.error.message}</p>` : ''}
<form method="post" action="${options.action}">${inputs}${hidden}<button>${options.submit}</button></form>
${options.after ?? ''}
</section>`;
    return screen({ title: options.title, body }, { formTargets, status: tried.error?.status ?? 200 });
  }
}

/** What came of the last try: the failure to show, and what had been typed. */
interface Tried {
  error?: AppError;
  form?: Record<string, string>;
}

interface FormOptions {
  title: string;
  intro?: string;
  action: string;
  fields: Field[];
  optional?: string[];
  hidden: Record<string, string>;
  submit: string;
  after?: ReturnType<typeof html>;
  tried?: Tried;
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

async function assertSetupOpen(setup: Setup, code: string): Promise<void> {
  if (await setup.isOpen(code)) return;
  throw new AppError(
    'NOT_FOUND',
    'This setup link was used already or has been replaced. While there is no administrator, each start of the server prints a new one.',
  );
}

/** Where to go afterwards: only to an address of ours, so that a link to the login page cannot lead people astray. */
function safeNext(next: string | undefined, baseUrl: string): string {
  const target = next?.startsWith('/') ? URL.parse(next, baseUrl) : null;
  // `/.//evil.example` is of our origin, but what is left of it without the origin is not.
  if (target?.origin !== baseUrl || target.pathname.startsWith('//')) return '/';
  return target.pathname + target.search + target.hash;
}

function redirect(location: string, cookie?: string): Response {
  return new Response(null, {
    status: 303,
    headers: { location, 'cache-control': 'no-store', ...(cookie && { 'set-cookie': cookie }) },
  });
}

function signedOut(next: string): Promise<Response> {
  const body = html`<section class="card">
<h1>You are logged out</h1>
<p><a class="button" href="${next}">Go on</a></p>
</section>`;
  return screen({ title: 'Logged out', body });
}

function pick(form: Record<string, string>, names: string[]): Record<string, string | undefined> {
  return Object.fromEntries(names.map((name) => [name, form[name]]));
}
