import { toTokens } from '../../../contract/rules/credit-amounts.ts';
import { notFound } from '../../lib/errors.ts';
import type { Actor } from '../../platform/http/index.ts';
import {
  canPublish,
  deleteConsent,
  deletePublishConsent,
  findConsent,
  listConsents,
  putConsent,
  putPublishConsent,
  type StoredConsent,
} from './consent-store.ts';
import type { AskingPage, CreditsContext, Ledger } from './context.ts';
import { detachReservations, lockAccount } from './store.ts';

/** A consent and its page. */
export type ConsentRow = StoredConsent & { id: number; name: string; slug: string };

/** The page that asks the caller for consent. Fails if it does not exist for them. */
export async function introducePage(
  { db, pages }: Pick<CreditsContext, 'db' | 'pages'>,
  pageId: number,
  actor: Actor,
): Promise<AskingPage> {
  return pages.introduce(db, await pages.find(db, String(pageId)), { actor });
}

/** Lets a page spend up to this many more credits, and publish. Only the account screens can call this. */
export async function giveConsent(
  context: Pick<CreditsContext, 'db' | 'now' | 'pages'>,
  actor: Actor,
  { pageId, limit, publish }: { pageId: number; limit: number; publish: boolean },
): Promise<ConsentRow> {
  const { db } = context;
  const { userId } = actor;
  const { id, name, slug } = await introducePage(context, pageId, actor);
  const consent = await db.transaction().execute(async (tx) => {
    await lockAccount(tx, userId);
    const of = { userId, pageId, now: context.now() };
    if (limit > 0) await putConsent(tx, { ...of, tokens: toTokens(limit) });
    if (publish) await putPublishConsent(tx, of);
    else await deletePublishConsent(tx, userId, pageId);
    return findConsent(tx, userId, pageId);
  });
  if (!consent) throw notFound('This page was not found.');
  return { ...consent, id, name, slug };
}

/** A user's consents and their pages, newest first. */
export async function readConsents(
  { db, pages }: Pick<CreditsContext, 'db' | 'pages'>,
  actor: Actor,
): Promise<ConsentRow[]> {
  const consents = await listConsents(db, actor.userId);
  const ids = consents.map(({ page_id }) => page_id);
  const described = await pages.describe(db, ids, actor);
  return consents.flatMap((consent) => {
    const page = described.get(consent.page_id);
    return page ? [{ ...consent, id: consent.page_id, name: page.name, slug: page.slug }] : [];
  });
}

/** Withdraws a consent. Work in progress is still charged. */
export async function withdrawConsent({ db }: Ledger, actor: Actor, pageId: number): Promise<void> {
  const { userId } = actor;
  await db.transaction().execute(async (tx) => {
    await lockAccount(tx, userId);
    const couldSpend = await deleteConsent(tx, userId, pageId);
    const couldPublish = await deletePublishConsent(tx, userId, pageId);
    if (!couldSpend && !couldPublish) throw notFound('A consent for this page was not found.');
    await detachReservations(tx, userId, pageId);
  });
}

/** Whether a user lets a page publish in their name. */
export function mayPublish({ db }: Ledger, userId: number, pageId: number): Promise<boolean> {
  return canPublish(db, userId, pageId);
}
