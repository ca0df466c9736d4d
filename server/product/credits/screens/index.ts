import { z } from 'zod';
import { LimitField } from '../../../../contract/credits/credits.ts';
import { idParams } from '../../../../contract/fields.ts';
import { AppError, notFound } from '../../../lib/errors.ts';
import { type Actor, type Route, route, toLogin, validate } from '../../../platform/http/index.ts';
import { giveConsent, introducePage, withdrawConsent } from '../consents.ts';
import type { AskingPage, CreditsContext } from '../context.ts';
import { findBalance } from '../store.ts';
import { askScreen, nothingScreen } from './ask.ts';
import { CLOSING_SCRIPT, CLOSING_SCRIPT_PATH, endScreen } from './end.ts';
import { maxLimit, type RefusedAnswer } from './limits.ts';
import { CONSENT_PATH, consentPath, isAsking, isPaid, isPublishing } from './page.ts';

/**
 * The screen where a person lets a page spend credits or publish in their name: a form without script, out of reach of
 * published pages.
 */

const Form = z.strictObject({
  page: z.string(),
  limit: z.string().optional(),
  /** The number that the person typed, if `limit` is `other`. */
  other: z.string().optional(),
  publish: z.string().optional(),
  tab: z.string().optional(),
  answer: z.enum(['allow', 'not now', 'withdraw']),
});
type Form = z.infer<typeof Form>;

export function consentScreens(context: CreditsContext): Route[] {
  return [
    route({
      method: 'GET',
      path: CONSENT_PATH,
      access: { kind: 'screen' },
      summary: 'The screen on which a person allows a page to use their credits',
      query: z.object({ page: z.string().optional(), tab: z.string().optional() }),
      async handle({ query, actor }) {
        const [pageId, isNewTab] = [parsePageId(query.page), query.tab === 'new'];
        if (!actor) return toLogin(consentPath(pageId, isNewTab));
        return askScreen(context, actor, { page: await introducePage(context, pageId, actor), isNewTab });
      },
    }),
    route({
      method: 'POST',
      path: CONSENT_PATH,
      access: { kind: 'account door' },
      summary: 'Submit the screen on which a person allows a page to use their credits',
      body: Form,
      acceptsForm: true,
      async handle({ body, actor }) {
        const [pageId, isNewTab] = [parsePageId(body.page), body.tab === 'new'];
        if (!actor) return toLogin(consentPath(pageId, isNewTab));
        const asking = { page: await introducePage(context, pageId, actor), isNewTab };
        if (body.answer === 'not now') return endScreen(context, asking, 'declined');
        if (body.answer === 'allow') return allow(context, actor, asking, body);
        await withdraw(context, actor, pageId);
        return endScreen(context, asking, 'withdrawn');
      },
    }),
    route({
      method: 'GET',
      path: CLOSING_SCRIPT_PATH,
      access: { kind: 'public' },
      summary: 'The script that closes the tab of the screen',
      handle: () =>
        new Response(CLOSING_SCRIPT, {
          headers: {
            'content-type': 'text/javascript; charset=utf-8',
            'cache-control': 'public, max-age=86400',
          },
        }),
    }),
  ];
}

async function allow(
  context: CreditsContext,
  actor: Actor,
  asking: { page: AskingPage; isNewTab: boolean },
  form: Form,
): Promise<Response> {
  const { page } = asking;
  if (!isAsking(page)) return nothingScreen(context, page, { status: 409 });
  const publish = isPublishing(page) && form.publish === 'yes';
  const max = maxLimit(await findBalance(context.db, actor.userId));
  const limit = readLimit(form, isPaid(page) ? max : 0);
  if (typeof limit === 'object') return askScreen(context, actor, { ...asking, refused: limit });
  if (limit === 0 && !publish)
    return askScreen(context, actor, { ...asking, refused: { fault: 'nothing chosen' } });
  await giveConsent(context, actor, { pageId: page.id, limit, publish });
  return endScreen(context, asking, { limit, publish });
}

/** The limit that was chosen, at most what the person has. */
function readLimit({ limit, other }: Form, max: number): number | RefusedAnswer {
  if (limit === 'none' || max === 0) return 0;
  if (limit === undefined) return { fault: 'no limit' };
  const typed = limit === 'other' ? (other ?? '') : limit;
  try {
    const chosen = validate(LimitField, { limit: typed }).limit;
    return chosen <= max ? chosen : { fault: 'bad limit', typed };
  } catch (error) {
    if (error instanceof AppError && error.status === 400) return { fault: 'bad limit', typed };
    throw error;
  }
}

/** Withdraws a consent. A second click, or a second window, is not an error. */
async function withdraw(context: CreditsContext, actor: Actor, pageId: number): Promise<void> {
  try {
    await withdrawConsent(context, actor, pageId);
  } catch (error) {
    if (!(error instanceof AppError && error.code === 'NOT_FOUND')) throw error;
  }
}

function parsePageId(given: string | undefined): number {
  const parsed = idParams.safeParse({ id: given });
  if (!parsed.success) throw notFound('This page was not found.');
  return parsed.data.id;
}
