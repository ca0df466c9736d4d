import type { Db, Tx } from '../../../platform/storage/index.ts';

/** SQL for the links in mail. */

export type LinkKind = 'reset' | 'confirm';

/** The most links per user and kind. The oldest stop working. */
const MAX_LINKS = 10;

export async function insertLink(
  tx: Tx,
  link: {
    secretHash: string;
    userId: number;
    kind: LinkKind;
    email: string;
    now: number;
    expiresAt: number;
  },
): Promise<void> {
  await tx
    .insertInto('account_links')
    .values({
      secret_hash: link.secretHash,
      user_id: link.userId,
      kind: link.kind,
      email: link.email,
      created_at: link.now,
      expires_at: link.expiresAt,
    })
    .execute();
  const past = await tx
    .selectFrom('account_links')
    .select('secret_hash')
    .where('user_id', '=', link.userId)
    .where('kind', '=', link.kind)
    .orderBy('created_at', 'desc')
    .offset(MAX_LINKS)
    .limit(MAX_LINKS)
    .execute();
  for (const { secret_hash } of past)
    await tx.deleteFrom('account_links').where('secret_hash', '=', secret_hash).execute();
}

/** Finds a link that still works, without using it up: programs that check mail open links too. */
export function findLink(db: Db, kind: LinkKind, secretHash: string, now: number) {
  return db
    .selectFrom('account_links')
    .select(['user_id', 'email'])
    .where('secret_hash', '=', secretHash)
    .where('kind', '=', kind)
    .where('expires_at', '>', now)
    .executeTakeFirst();
}

/** Uses up a link. False if somebody else has just done so. */
export async function spendLink(tx: Tx, secretHash: string): Promise<boolean> {
  const result = await tx
    .deleteFrom('account_links')
    .where('secret_hash', '=', secretHash)
    .executeTakeFirst();
  return result.numDeletedRows > 0n;
}

/** Ends all links of a user. */
export async function deleteLinks(tx: Tx, userId: number): Promise<void> {
  await tx.deleteFrom('account_links').where('user_id', '=', userId).execute();
}

/**
 * Ends the links that lead to another password or another address. Somebody who knew the old password may have asked
 * for them. A link that confirms the current address of the account changes nothing, and stays.
 */
export async function deleteChangingLinks(tx: Tx, userId: number): Promise<void> {
  await tx
    .deleteFrom('account_links')
    .where('user_id', '=', userId)
    .where((eb) =>
      eb.or([
        eb('kind', '=', 'reset'),
        eb('email', '!=', eb.selectFrom('users').select('email').where('id', '=', userId)),
      ]),
    )
    .execute();
}

/** The newest address that a user wants to have, and has not confirmed. */
export async function findWantedEmail(
  db: Db,
  userId: number,
  { current, now }: { current: string; now: number },
): Promise<string | undefined> {
  const row = await db
    .selectFrom('account_links')
    .select('email')
    .where('user_id', '=', userId)
    .where('kind', '=', 'confirm')
    .where('email', '!=', current)
    .where('expires_at', '>', now)
    .orderBy('created_at', 'desc')
    .executeTakeFirst();
  return row?.email;
}

export async function deleteExpiredLinks(db: Db, now: number): Promise<void> {
  await db.deleteFrom('account_links').where('expires_at', '<', now).execute();
}
