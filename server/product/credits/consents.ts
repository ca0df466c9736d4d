import { toTokens } from '../../../contract/rules/credit-amounts.ts';
import { notFound } from '../../lib/errors.ts';
import type { Actor } from '../../platform/http/index.ts';
import type { CreditsContext, Ledger } from './context.ts';
import {
  deleteConsent,
  detachReservations,
  findConsent,
  listConsents,
  lockAccount,
  putConsent,
  type StoredConsent,
} from './store.ts';

/** A consent and its page. */
export type ConsentRow = StoredConsent & { id: number; name: string; slug: string };

/** Lets a page spend up to this many more credits. Only the account screens can call this. */
export async function giveConsent(
  context: Pick<CreditsContext, 'db' | 'now' | 'pages'>,
  actor: Actor,
  { pageId, limit }: { pageId: number; limit: number },
): Promise<ConsentRow> {
  const { db, now, pages } = context;
  const { userId } = actor;
  const { id, name, slug } = await pages.introduce(pageId, actor);
  const consent = await db.transaction().execute(async (tx) => {
    await lockAccount(tx, userId);
    await putConsent(tx, { userId, pageId, tokens: toTokens(limit), now: now() });
    return findConsent(tx, userId, pageId);
  });
  if (!consent) throw notFound('This page');
  return { ...consent, id, name, slug };
}

/** A user's consents and their pages, newest first. */
export async function readConsents(
  { db, pages }: Pick<CreditsContext, 'db' | 'pages'>,
  actor: Actor,
): Promise<ConsentRow[]> {
  const consents = await listConsents(db, actor.userId);
  const ids = consents.map(({ page_id }) => page_id);
  const described = await pages.describe(ids, actor);
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
    if (!(await deleteConsent(tx, userId, pageId))) throw notFound('A consent for this page');
    await detachReservations(tx, userId, pageId);
  });
}

/**
 * Whether a user lets a page act in their name, regardless of the remaining amount. Spawning needs only this.
 */
export async function hasConsent({ db }: Ledger, userId: number, pageId: number): Promise<boolean> {
  return (await findConsent(db, userId, pageId)) !== undefined;
}
