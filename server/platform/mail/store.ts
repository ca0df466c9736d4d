import { type Insertable, type Selectable, sql } from 'kysely';
import { countRows, type Db, type Tables, type Tx } from '../storage/index.ts';

/** SQL for the queue of mail. A row with a `due_at` waits; it is cleared when the mail is sent or given up. */

export type MailRow = Selectable<Tables['mails']>;
type NewMail = Omit<Insertable<Tables['mails']>, 'id' | 'mailbox' | 'attempts' | 'sent_at' | 'last_error'>;

/** `ann+news@example.com` is read by `ann@example.com`, and so is everything else that begins like this. */
export function toMailbox(address: string): string {
  const at = address.lastIndexOf('@');
  const [name = ''] = address.slice(0, at).split('+');
  return name === '' ? address : `${name}${address.slice(at)}`;
}

export async function insertMail(tx: Tx, mail: NewMail): Promise<void> {
  await tx
    .insertInto('mails')
    .values({ ...mail, mailbox: toMailbox(mail.recipient), attempts: 0, sent_at: null, last_error: null })
    .execute();
}

/** When mail of some kinds was queued for a mailbox or by a person, the latest first. */
export async function listCreated(
  db: Db,
  whose: { mailbox: string } | { userId: number },
  { kinds, since, limit }: { kinds: readonly string[]; since: number; limit: number },
): Promise<number[]> {
  const rows = await db
    .selectFrom('mails')
    .select('created_at')
    .$if('mailbox' in whose, (q) => q.where('mailbox', '=', 'mailbox' in whose ? whose.mailbox : ''))
    .$if('userId' in whose, (q) => q.where('user_id', '=', 'userId' in whose ? whose.userId : 0))
    .where('kind', 'in', kinds)
    .where('created_at', '>', since)
    .orderBy('created_at', 'desc')
    .limit(limit)
    .execute();
  return rows.map(({ created_at }) => created_at);
}

/** The last mail of a bundle, whether it waits or not. */
export function findLastOfBundle(db: Db, bundle: string): Promise<MailRow | undefined> {
  return db
    .selectFrom('mails')
    .selectAll()
    .where('bundle', '=', bundle)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/** Replaces the content of a mail. False if a node is already sending it. */
export async function replaceContent(tx: Tx, id: number, content: string): Promise<boolean> {
  const changed = await tx
    .updateTable('mails')
    .set({ content })
    .where('id', '=', id)
    .where('attempts', '=', 0)
    .where('due_at', 'is not', null)
    .returning('id')
    .executeTakeFirst();
  return changed !== undefined;
}

export function listDue(db: Db, now: number, limit: number): Promise<Array<Pick<MailRow, 'id' | 'due_at'>>> {
  return db
    .selectFrom('mails')
    .select(['id', 'due_at'])
    .where('due_at', '<=', now)
    .orderBy('due_at')
    .limit(limit)
    .execute();
}

export async function findNextDue(db: Db): Promise<number | undefined> {
  const row = await db
    .selectFrom('mails')
    .select('due_at')
    .where('due_at', 'is not', null)
    .orderBy('due_at')
    .limit(1)
    .executeTakeFirst();
  return row?.due_at ?? undefined;
}

/** Claims a mail for this node until a moment. Undefined if another node was faster. */
export function claim(
  db: Db,
  { id, due_at }: Pick<MailRow, 'id' | 'due_at'>,
  until: number,
): Promise<MailRow | undefined> {
  return db
    .updateTable('mails')
    .set((eb) => ({ due_at: until, attempts: eb('attempts', '+', 1) }))
    .where('id', '=', id)
    .where('due_at', '=', due_at)
    .returningAll()
    .executeTakeFirst();
}

/** What becomes of a mail that this node has claimed. Without a `due_at` it is over, and its content is deleted. */
export async function finish(
  db: Db,
  { id, due_at }: Pick<MailRow, 'id' | 'due_at'>,
  end: Pick<MailRow, 'due_at' | 'sent_at' | 'last_error'>,
): Promise<void> {
  await db
    .updateTable('mails')
    .set({ ...end, ...(end.due_at === null && { content: null }) })
    .where('id', '=', id)
    .where('due_at', '=', due_at)
    .execute();
}

/** Gives up mail that is no longer useful. Returns how many. */
export async function expire(db: Db, now: number): Promise<number> {
  const { numUpdatedRows } = await db
    .updateTable('mails')
    .set({ due_at: null, content: null, last_error: sql`coalesce(last_error, 'expired')` })
    .where('due_at', '<=', now)
    .where('expires_at', '<=', now)
    .executeTakeFirst();
  return Number(numUpdatedRows);
}

export function countWaiting(db: Db): Promise<number> {
  return countRows(db.selectFrom('mails').where('due_at', 'is not', null));
}

/** Deletes rows of mail that is over. Returns how many. */
export async function deleteOld(db: Db, before: number, limit: number): Promise<number> {
  const old = db
    .selectFrom('mails')
    .select('id')
    .where('created_at', '<', before)
    .where('due_at', 'is', null)
    .orderBy('created_at')
    .limit(limit);
  const { numDeletedRows } = await db.deleteFrom('mails').where('id', 'in', old).executeTakeFirst();
  return Number(numDeletedRows);
}
