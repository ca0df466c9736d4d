import type { Db, Tx } from '../../platform/storage/index.ts';

/** SQL for consents: users let pages spend their credits, and publish in their name. */

/** The consent of a user for a page. Without a limit the page cannot spend anything. */
export interface StoredConsent {
  page_id: number;
  limit_tokens: number;
  used_tokens: number;
  canPublish: boolean;
  created_at: number;
}

const MAX_LISTED = 1_000;

/** Lets a page spend this much from now on, on top of what it has used. */
export async function putConsent(
  tx: Tx,
  consent: { userId: number; pageId: number; tokens: number; now: number },
): Promise<void> {
  const { userId, pageId, tokens, now } = consent;
  await tx
    .insertInto('credit_consents')
    .values({ user_id: userId, page_id: pageId, limit_tokens: tokens, used_tokens: 0, created_at: now })
    .onConflict((conflict) =>
      conflict.columns(['user_id', 'page_id']).doUpdateSet((eb) => ({
        limit_tokens: eb('credit_consents.used_tokens', '+', tokens),
        created_at: now,
      })),
    )
    .execute();
}

export async function putPublishConsent(
  tx: Tx,
  { userId, pageId, now }: { userId: number; pageId: number; now: number },
): Promise<void> {
  await tx
    .insertInto('publish_consents')
    .values({ user_id: userId, page_id: pageId, created_at: now })
    .onConflict((conflict) => conflict.columns(['user_id', 'page_id']).doNothing())
    .execute();
}

/** Deletes the consent to spend. True if there was one. */
export function deleteConsent(tx: Tx, userId: number, pageId: number): Promise<boolean> {
  return deleteFrom(tx, 'credit_consents', userId, pageId);
}

/** Deletes the consent to publish. True if there was one. */
export function deletePublishConsent(tx: Tx, userId: number, pageId: number): Promise<boolean> {
  return deleteFrom(tx, 'publish_consents', userId, pageId);
}

async function deleteFrom(
  tx: Tx,
  table: 'credit_consents' | 'publish_consents',
  userId: number,
  pageId: number,
): Promise<boolean> {
  const result = await tx
    .deleteFrom(table)
    .where('user_id', '=', userId)
    .where('page_id', '=', pageId)
    .executeTakeFirst();
  return result.numDeletedRows > 0n;
}

/** A user's consents, newest first. */
export async function listConsents(db: Db, userId: number): Promise<StoredConsent[]> {
  const [spending, publishing] = await Promise.all([
    selectSpending(db, userId).orderBy('created_at', 'desc').orderBy('page_id').limit(MAX_LISTED).execute(),
    selectPublishing(db, userId).orderBy('created_at', 'desc').orderBy('page_id').limit(MAX_LISTED).execute(),
  ]);
  return together(spending, publishing).sort(
    (one, other) => other.created_at - one.created_at || one.page_id - other.page_id,
  );
}

export async function findConsent(
  db: Db,
  userId: number,
  pageId: number,
): Promise<StoredConsent | undefined> {
  const spending = await selectSpending(db, userId).where('page_id', '=', pageId).execute();
  const publishing = await selectPublishing(db, userId).where('page_id', '=', pageId).execute();
  return together(spending, publishing)[0];
}

export async function canPublish(db: Db, userId: number, pageId: number): Promise<boolean> {
  return (await selectPublishing(db, userId).where('page_id', '=', pageId).executeTakeFirst()) !== undefined;
}

type Spending = Omit<StoredConsent, 'canPublish'>;
type Publishing = Pick<StoredConsent, 'page_id' | 'created_at'>;

/** Joins the consents to spend and to publish into one for each page. */
function together(spending: Spending[], publishing: Publishing[]): StoredConsent[] {
  const byPage = new Map<number, StoredConsent>();
  for (const row of spending) byPage.set(row.page_id, { ...row, canPublish: false });
  for (const row of publishing) {
    const known = byPage.get(row.page_id) ?? { ...row, limit_tokens: 0, used_tokens: 0 };
    byPage.set(row.page_id, { ...known, canPublish: true });
  }
  return [...byPage.values()];
}

function selectSpending(db: Db, userId: number) {
  return db
    .selectFrom('credit_consents')
    .select(['page_id', 'limit_tokens', 'used_tokens', 'created_at'])
    .where('user_id', '=', userId);
}

function selectPublishing(db: Db, userId: number) {
  return db.selectFrom('publish_consents').select(['page_id', 'created_at']).where('user_id', '=', userId);
}
