import type { Db, Tx } from '../../platform/storage/index.ts';

/** SQL for the mail that branches would have sent. */

/** Mails that are kept for each branch. */
const MAX_KEPT = 100;

export async function addMail(
  tx: Tx,
  mail: {
    page_id: number;
    at: number;
    recipients: string;
    subject: string;
    text: string;
    html: string | null;
  },
): Promise<void> {
  const { id } = await tx.insertInto('branch_mails').values(mail).returning('id').executeTakeFirstOrThrow();
  const oldest = await tx
    .selectFrom('branch_mails')
    .select('id')
    .where('page_id', '=', mail.page_id)
    .where('id', '<=', id)
    .orderBy('id', 'desc')
    .offset(MAX_KEPT)
    .limit(1)
    .executeTakeFirst();
  if (oldest)
    await tx
      .deleteFrom('branch_mails')
      .where('page_id', '=', mail.page_id)
      .where('id', '<=', oldest.id)
      .execute();
}

export function listMails(db: Db, pageId: number) {
  return db
    .selectFrom('branch_mails')
    .selectAll()
    .where('page_id', '=', pageId)
    .orderBy('id', 'desc')
    .limit(MAX_KEPT)
    .execute();
}
