import { z } from 'zod';
import {
  type Actor,
  AppError,
  html,
  idParams,
  notFound,
  type Route,
  route,
  screen,
  validate,
} from '../http/index.ts';
import { toCredits } from './amounts.ts';
import { giveConsent } from './consents.ts';
import type { CreditsContext, SeePage } from './context.ts';
import { DEFAULT_LIMIT, LimitField, MAX_LIMIT } from './schema.ts';
import { findMeans, findUsername } from './store.ts';

/** Where a person lets a page spend their credits: a plain form, no script, out of reach of published pages. */

type Context = CreditsContext & { seePage: SeePage };
type SeenPage = Awaited<ReturnType<SeePage>>;

const PATH = '/consent';
const Form = z.strictObject({
  page: z.string(),
  limit: z.string().optional(),
  answer: z.enum(['allow', 'not now']),
});

export function consentScreens(context: Context): Route[] {
  return [
    route({
      method: 'GET',
      path: PATH,
      access: { kind: 'screen' },
      summary: 'The page on which a person lets a page spend their credits',
      query: z.object({ page: z.string().optional() }),
      async handle({ query, actor }) {
        const pageId = pageIdOf(query.page);
        if (!actor) return toLogin(pageId);
        return askScreen(context, actor, await context.seePage(pageId, actor));
      },
    }),
    route({
      method: 'POST',
      path: PATH,
      access: { kind: 'account door' },
      summary: 'Answer from the page on which a person lets a page spend their credits',
      body: Form,
      acceptsForm: true,
      async handle({ body, actor }) {
        const pageId = pageIdOf(body.page);
        if (!actor) return toLogin(pageId);
        const page = await context.seePage(pageId, actor);
        if (body.answer === 'not now')
          return endScreen(page, 'Nothing has changed', 'was not allowed any more of your credits.');
        try {
          const { limit } = validate(LimitField, { limit: body.limit ?? '' });
          await giveConsent(context, actor, { pageId, limit });
          return endScreen(
            page,
            'Done',
            `may now spend up to ${inWords(limit)} of yours, and publish pages in your name.`,
          );
        } catch (error) {
          if (error instanceof AppError && error.status === 400)
            return askScreen(context, actor, page, body.limit);
          throw error;
        }
      },
    }),
  ];
}

/** `refused` is what was typed and is no limit. */
async function askScreen({ db }: Context, actor: Actor, page: SeenPage, refused?: string): Promise<Response> {
  const { balance_tokens, used_tokens, limit_tokens } = await findMeans(db, actor.userId, page.id);
  const owner = await findUsername(db, page.owner_id);
  const used = toCredits(used_tokens ?? 0);
  const spent =
    limit_tokens === null
      ? `It has used ${inNumbers(used)}.`
      : `It has used ${inNumbers(used)} of the ${inNumbers(toCredits(limit_tokens))} that you allowed it.`;
  const title = refused === undefined ? 'Use your credits?' : 'How many credits?';
  const body = html`<section class="card">
<h1>${title}</h1>
<p>The page “<strong>${page.name}</strong>” by <strong>${owner}</strong> wants to use your credits. ${spent} You have ${inNumbers(toCredits(balance_tokens))}.</p>
<p>If you allow it, it can spend credits up to the limit you set here, and publish pages in your name. When the limit is reached, you are asked again.</p>
${refused === undefined ? '' : html`<p class="error" role="alert">Choose a whole number from 1 to ${MAX_LIMIT.toLocaleString('en')}.</p>`}
<form method="post" action="${PATH}">
<input type="hidden" name="page" value="${page.id}">
<label>At most this many credits from now on
<input name="limit" type="number" min="1" max="${MAX_LIMIT}" step="1" inputmode="numeric" autocomplete="off" value="${refused ?? DEFAULT_LIMIT}" required></label>
<button name="answer" value="allow">Allow</button>
<button class="quiet" name="answer" value="not now" formnovalidate>Not now</button>
</form>
<p class="hint">You are logged in as <strong>${actor.username}</strong>.</p>
</section>`;
  return screen({ title, body }, { formTargets: "'self'", status: refused === undefined ? 200 : 400 });
}

/** Whether a page opened this window cannot be known here, since it has no hold on it; so both ways back are said. */
function endScreen(page: SeenPage, title: string, outcome: string): Promise<Response> {
  const body = html`<section class="card">
<h1>${title}</h1>
<p>The page “<strong>${page.name}</strong>” ${outcome}</p>
<p>If the page opened this window, close it and go on where you were.</p>
<p><a class="button" href="/p/${page.slug}">Back to the page</a></p>
</section>`;
  return screen({ title, body });
}

function pageIdOf(given: string | undefined): number {
  const parsed = idParams.safeParse({ id: given });
  if (!parsed.success) throw notFound('This page');
  return parsed.data.id;
}

function toLogin(pageId: number): Response {
  const location = `/login?next=${encodeURIComponent(`${PATH}?page=${pageId}`)}`;
  return new Response(null, { status: 303, headers: { location, 'cache-control': 'no-store' } });
}

const inNumbers = (credits: number) => credits.toLocaleString('en', { maximumFractionDigits: 4 });
const inWords = (credits: number) => `${inNumbers(credits)} ${credits === 1 ? 'credit' : 'credits'}`;
