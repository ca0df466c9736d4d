import { notFound } from '../../lib/errors.ts';
import type { Actor } from '../../platform/http/index.ts';
import { toTokens } from './amounts.ts';
import type { CreditsContext, SeePage } from './context.ts';
import {
  type ConsentRow,
  deleteConsent,
  detachReservations,
  findConsent,
  lockAccount,
  putConsent,
} from './store.ts';

type Context = CreditsContext & { seePage: SeePage };

/** Lets a page spend up to so many credits more from now on. Only the account pages may ask for this. */
export async function giveConsent(
  { db, now, seePage }: Context,
  actor: Actor,
  { pageId, limit }: { pageId: number; limit: number },
): Promise<ConsentRow> {
  const { userId } = actor;
  await seePage(pageId, actor);
  const consent = await db.transaction().execute(async (tx) => {
    await lockAccount(tx, userId);
    await putConsent(tx, { userId, pageId, tokens: toTokens(limit), now: now() });
    return findConsent(tx, userId, pageId);
  });
  if (!consent) throw notFound('This page');
  return consent;
}

/** Takes a consent back. What the page has under way is still paid for. */
export async function withdrawConsent({ db }: CreditsContext, actor: Actor, pageId: number): Promise<void> {
  const { userId } = actor;
  await db.transaction().execute(async (tx) => {
    await lockAccount(tx, userId);
    if (!(await deleteConsent(tx, userId, pageId))) throw notFound('A consent for this page');
    await detachReservations(tx, userId, pageId);
  });
}

/** Whether a user has let a page act in their name, whatever is left to spend: all that spawning asks for. */
export async function hasConsent({ db }: CreditsContext, userId: number, pageId: number): Promise<boolean> {
  return (await findConsent(db, userId, pageId)) !== undefined;
}
