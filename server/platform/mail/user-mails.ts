import { toTimestamp } from '../../lib/timestamp.ts';
import type { Db } from '../storage/index.ts';

/** What the service wrote to a user, as long as it is remembered. */
export async function listUserMails(db: Db, userId: number) {
  const rows = await db
    .selectFrom('mails')
    .select(['kind', 'recipient', 'created_at', 'sent_at'])
    .where('user_id', '=', userId)
    .orderBy('id')
    .limit(1_000)
    .execute();
  return rows.map(({ kind, recipient, created_at, sent_at }) => ({
    kind,
    recipient,
    createdAt: toTimestamp(created_at),
    sentAt: sent_at === null ? null : toTimestamp(sent_at),
  }));
}
