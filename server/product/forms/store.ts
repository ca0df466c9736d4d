import { type Insertable, type Selectable, sql } from 'kysely';
import { type Sizes, toSizes } from '../../lib/sizes.ts';
import type { Db, Tables, Tx } from '../../platform/storage/index.ts';

/** SQL for forms, their messages and files. */

export type FormRow = Selectable<Tables['page_forms']>;
export type MessageRow = Selectable<Tables['form_messages']> & { fields: string };
export type FileRow = Selectable<Tables['form_files']>;

/** The forms of a page, the last used first. */
export function listForms(db: Db, pageId: number): Promise<FormRow[]> {
  return db
    .selectFrom('page_forms')
    .selectAll()
    .where('page_id', '=', pageId)
    .orderBy('last_message_at', 'desc')
    .orderBy('name')
    .execute();
}

/** The bytes that pages are charged for the messages of their forms. */
export async function measureForms(db: Db, pageIds: number[]): Promise<Sizes> {
  const query = db
    .selectFrom('page_forms')
    .select((eb) => ['page_id as id', eb.fn.sum<number | string>('bytes').as('bytes')]);
  return toSizes(await query.where('page_id', 'in', pageIds).groupBy('page_id').execute());
}

export function findForm(db: Db, pageId: number, name: string): Promise<FormRow | undefined> {
  return db
    .selectFrom('page_forms')
    .selectAll()
    .where('page_id', '=', pageId)
    .where('name', '=', name)
    .executeTakeFirst();
}

/** Whether the owner of a page gets mail about new messages. */
export async function hasNotices(db: Db, pageId: number): Promise<boolean> {
  const row = await db
    .selectFrom('form_settings')
    .select('notices')
    .where('page_id', '=', pageId)
    .executeTakeFirst();
  return row?.notices !== 0;
}

export async function saveNotices(tx: Tx, pageId: number, notices: 0 | 1): Promise<void> {
  await tx
    .insertInto('form_settings')
    .values({ page_id: pageId, notices })
    .onConflict((conflict) => conflict.column('page_id').doUpdateSet({ notices }))
    .execute();
}

export async function insertMessage(
  tx: Tx,
  { fields, ...message }: Insertable<Tables['form_messages']> & { fields: string },
  files: Array<Insertable<Tables['form_files']>>,
): Promise<void> {
  await tx.insertInto('form_messages').values(message).execute();
  await tx.insertInto('form_texts').values({ message_id: message.id, fields }).execute();
  if (files.length > 0) await tx.insertInto('form_files').values(files).execute();
  const { page_id, form: name, bytes, created_at } = message;
  await tx
    .insertInto('page_forms')
    .values({ page_id, name, messages: 1, unread: 1, bytes, last_message_at: created_at })
    .onConflict((conflict) =>
      conflict.columns(['page_id', 'name']).doUpdateSet((eb) => ({
        messages: eb('page_forms.messages', '+', 1),
        unread: eb('page_forms.unread', '+', 1),
        bytes: eb('page_forms.bytes', '+', bytes),
        last_message_at: created_at,
      })),
    )
    .execute();
}

/** Which messages of a form: newest first, or with `after` oldest first. */
interface Selection {
  limit: number;
  /** Bytes of fields at most. One message may have more. */
  maxBytes: number;
  before?: string | undefined;
  after?: string | undefined;
  isUnread?: boolean;
}

/** Lists messages up to the limit or up to `maxBytes`, whichever comes first. */
export async function listMessages(
  db: Db,
  place: FormPlace,
  { limit, maxBytes, before, after, isUnread }: Selection,
): Promise<{ rows: MessageRow[]; hasMore: boolean }> {
  const direction = after === undefined ? 'desc' : 'asc';
  const sizes = await messages(db, place)
    // Both engines know the length without reading the text.
    .select(['id', sql<number>`octet_length(fields)`.as('size')])
    .$if(before !== undefined, (query) => query.where('id', '<', before ?? ''))
    .$if(after !== undefined, (query) => query.where('id', '>', after ?? ''))
    .$if(isUnread === true, (query) => query.where('is_read', '=', 0))
    .orderBy('id', direction)
    .limit(limit + 1)
    .execute();
  let bytes = 0;
  const past = sizes.findIndex(({ size }, at) => {
    bytes += size;
    return at === limit || (at > 0 && bytes > maxBytes);
  });
  const ids = (past < 0 ? sizes : sizes.slice(0, past)).map(({ id }) => id);
  if (ids.length === 0) return { rows: [], hasMore: false };
  const rows = await messages(db, place)
    .selectAll('form_messages')
    .select('fields')
    .where('id', 'in', ids)
    .orderBy('id', direction)
    .execute();
  return { rows, hasMore: past >= 0 };
}

export function findMessage(db: Db, place: FormPlace, id: string): Promise<MessageRow | undefined> {
  return messages(db, place)
    .selectAll('form_messages')
    .select('fields')
    .where('id', '=', id)
    .executeTakeFirst();
}

/** A form of a page. */
interface FormPlace {
  pageId: number;
  form: string;
}

function messages(db: Db, { pageId, form }: FormPlace) {
  return db
    .selectFrom('form_messages')
    .innerJoin('form_texts', 'message_id', 'form_messages.id')
    .where('page_id', '=', pageId)
    .where('form', '=', form);
}

/** The files of some messages. Ids start with the time, so they are in the order in which they were sent. */
export async function listFiles(db: Db, messageIds: string[]): Promise<FileRow[]> {
  if (messageIds.length === 0) return [];
  return db
    .selectFrom('form_files')
    .selectAll()
    .where('message_id', 'in', messageIds)
    .orderBy('id')
    .execute();
}

export function findFile(db: Db, messageId: string, id: string): Promise<FileRow | undefined> {
  return db
    .selectFrom('form_files')
    .selectAll()
    .where('message_id', '=', messageId)
    .where('id', '=', id)
    .executeTakeFirst();
}

export function listPageFiles(db: Db, pageId: number): Promise<Array<{ id: string }>> {
  return db.selectFrom('form_files').select('id').where('page_id', '=', pageId).execute();
}

export async function setRead(tx: Tx, { page_id, form, id, is_read }: MessageRow, isRead: 0 | 1) {
  if (is_read === isRead) return;
  await tx.updateTable('form_messages').set({ is_read: isRead }).where('id', '=', id).execute();
  await addToForm(tx, page_id, form, { messages: 0, unread: isRead ? -1 : 1, bytes: 0 });
}

export async function setAllRead(tx: Tx, { page_id, name, messages }: FormRow, isRead: 0 | 1) {
  await tx
    .updateTable('form_messages')
    .set({ is_read: isRead })
    .where('page_id', '=', page_id)
    .where('form', '=', name)
    .where('is_read', '!=', isRead)
    .execute();
  await tx
    .updateTable('page_forms')
    .set({ unread: isRead ? 0 : messages })
    .where('page_id', '=', page_id)
    .where('name', '=', name)
    .execute();
}

/** Deletes messages of one form, with their files. A form without messages is no longer listed. */
export async function deleteMessages(tx: Tx, { page_id, name }: FormKey, rows: MessageRow[]): Promise<void> {
  const ids = rows.map(({ id }) => id);
  await tx.deleteFrom('form_messages').where('id', 'in', ids).execute();
  await addToForm(tx, page_id, name, {
    messages: -rows.length,
    unread: -rows.filter(({ is_read }) => is_read === 0).length,
    bytes: -sumBytes(rows),
  });
  await tx
    .deleteFrom('page_forms')
    .where('page_id', '=', page_id)
    .where('name', '=', name)
    .where('messages', '=', 0)
    .execute();
}

type FormKey = Pick<FormRow, 'page_id' | 'name'>;

/** Bytes of messages with their files. */
export const sumBytes = (rows: MessageRow[]) => rows.reduce((sum, { bytes }) => sum + Number(bytes), 0);

async function addToForm(
  tx: Tx,
  pageId: number,
  name: string,
  added: { messages: number; unread: number; bytes: number },
): Promise<void> {
  await tx
    .updateTable('page_forms')
    .set((eb) => ({
      messages: eb('messages', '+', added.messages),
      unread: eb('unread', '+', added.unread),
      bytes: eb('bytes', '+', added.bytes),
    }))
    .where('page_id', '=', pageId)
    .where('name', '=', name)
    .execute();
}
