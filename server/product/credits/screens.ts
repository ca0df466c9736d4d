import { z } from 'zod';
import { LimitField } from '../../../contract/credits.ts';
import { idParams } from '../../../contract/fields.ts';
import { AppError, notFound } from '../../lib/errors.ts';
import { type Actor, type Route, route, toLogin, validate } from '../../platform/http/index.ts';
import { askScreen, endScreen, isAsking, nothingScreen } from './consent-screen.ts';
import { giveConsent, withdrawConsent } from './consents.ts';
import type { CreditsContext } from './context.ts';

/**
 * Where a person lets a page spend their credits: a plain form without script, out of reach of published
 * pages.
 */

const PATH = '/consent';
const Form = z.strictObject({
  page: z.string(),
  limit: z.string().optional(),
  /** Typed by the person if `limit` is `other`. */
  other: z.string().optional(),
  answer: z.enum(['allow', 'not now', 'withdraw']),
});

export function consentScreens(context: CreditsContext): Route[] {
  return [
    route({
      method: 'GET',
      path: PATH,
      access: { kind: 'screen' },
      summary: 'The screen on which a person allows a page to use their credits',
      query: z.object({ page: z.string().optional() }),
      async handle({ query, actor }) {
        const pageId = pageIdOf(query.page);
        if (!actor) return toLogin(`${PATH}?page=${pageId}`);
        return askScreen(context, actor, await context.pages.introduce(pageId, actor));
      },
    }),
    route({
      method: 'POST',
      path: PATH,
      access: { kind: 'account door' },
      summary: 'Submit the screen on which a person allows a page to use their credits',
      body: Form,
      acceptsForm: true,
      async handle({ body, actor }) {
        const pageId = pageIdOf(body.page);
        if (!actor) return toLogin(`${PATH}?page=${pageId}`);
        const page = await context.pages.introduce(pageId, actor);
        if (body.answer === 'not now') return endScreen(context, page, 'declined');
        if (body.answer === 'withdraw') {
          await withdraw(context, actor, pageId);
          return endScreen(context, page, 'withdrawn');
        }
        if (!isAsking(page)) return nothingScreen(context, page, { status: 409 });
        const typed = body.limit === 'other' ? body.other : body.limit;
        try {
          const { limit } = validate(LimitField, { limit: typed ?? '' });
          await giveConsent(context, actor, { pageId, limit });
          return endScreen(context, page, { limit });
        } catch (error) {
          if (error instanceof AppError && error.status === 400)
            return askScreen(context, actor, page, {
              typed: body.limit === undefined ? undefined : (typed ?? ''),
            });
          throw error;
        }
      },
    }),
  ];
}

/** A second click, or a second window, is not an error: the result is already there. */
async function withdraw(context: CreditsContext, actor: Actor, pageId: number): Promise<void> {
  try {
    await withdrawConsent(context, actor, pageId);
  } catch (error) {
    if (!(error instanceof AppError && error.code === 'NOT_FOUND')) throw error;
  }
}

function pageIdOf(given: string | undefined): number {
  const parsed = idParams.safeParse({ id: given });
  if (!parsed.success) throw notFound('This page');
  return parsed.data.id;
}
