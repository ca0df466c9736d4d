import { z } from 'zod';
import { language, type Route, route, seeOther } from '../../platform/http/index.ts';
import type { Db } from '../../platform/storage/index.ts';
import { html, say, screen, t } from '../../sites/screens/index.ts';
import { LEAVING_PATH, type LeavingCodes } from './codes.ts';
import type { LeavingAccounts } from './context.ts';
import type { Removals } from './removals.ts';

/** The screen that a login leads to if the account is about to be deleted. Its forms work without JavaScript. */

interface ScreensContext {
  db: Db;
  accounts: Pick<LeavingAccounts, 'findLeaving'>;
  codes: LeavingCodes;
  removals: Removals;
  baseUrl: string;
}

const Query = z.object({ code: z.string().max(1000).optional() });
const Form = z.strictObject({ code: z.string().max(1000), answer: z.enum(['keep', 'log out']) });

export function leavingScreens(context: ScreensContext): Route[] {
  const { codes, removals } = context;
  return [
    route({
      method: 'GET',
      path: LEAVING_PATH,
      access: { kind: 'screen' },
      summary: 'The screen for an account that is about to be deleted',
      query: Query,
      handle: ({ query }) => leavingScreen(context, query.code ?? ''),
    }),
    route({
      method: 'POST',
      path: LEAVING_PATH,
      access: { kind: 'account door' },
      summary: 'Submit the screen for an account that is about to be deleted',
      body: Form,
      acceptsForm: true,
      async handle({ body, address }) {
        if (body.answer === 'log out') return seeOther('/');
        const deletion = codes.read(body.code);
        if (!deletion || !(await context.accounts.findLeaving(context.db, deletion)))
          return outdatedScreen(context);
        await removals.keep(deletion, address);
        return keptScreen(context);
      },
    }),
  ];
}

async function leavingScreen(context: ScreensContext, code: string): Promise<Response> {
  const deletion = context.codes.read(code);
  const user = deletion && (await context.accounts.findLeaving(context.db, deletion));
  if (!user) return outdatedScreen(context);
  const day = new Date(deletion.dueAt).toLocaleDateString(language() === 'en' ? 'en-GB' : language(), {
    dateStyle: 'long',
    timeZone: 'UTC',
  });
  const title = t('Keep your account?');
  const body = html`<section class="card roomy">
<h1>${title}</h1>
<p class="lead">${say`The account <strong>${user.username}</strong> will be deleted on ${day}, with its pages, functions and data. Until then nobody can use it or see its pages.`}</p>
<form method="post" action="${LEAVING_PATH}">
<input type="hidden" name="code" value="${code}">
<div class="actions"><button name="answer" value="keep">${t('Keep my account')}</button><button class="quiet" name="answer" value="log out">${t('Log out')}</button></div>
</form>
</section>`;
  return screen({ title, body }, { baseUrl: context.baseUrl, formTargets: "'self'" });
}

function keptScreen({ baseUrl }: ScreensContext): Promise<Response> {
  return notice(
    baseUrl,
    t('Your account is kept'),
    t('Everything is as it was. Your sessions and tokens work again.'),
  );
}

function outdatedScreen({ baseUrl }: ScreensContext): Promise<Response> {
  return notice(baseUrl, t('This form has expired'), t('Log in to continue.'), 400);
}

async function notice(baseUrl: string, title: string, text: string, status = 200): Promise<Response> {
  const body = html`<section class="card"><h1>${title}</h1><p>${text}</p><p><a class="button" href="/login">${t('Log in')}</a></p></section>`;
  return screen({ title, body }, { baseUrl, status });
}
