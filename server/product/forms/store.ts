import type { Insertable, Selectable } from 'kysely';
import type { Db, Tables, Tx } from '../../platform/storage/index.ts';

/** SQL for forms, their messages and files. */

export type FormRow = Selectable<Tables['page_forms']>;
export type MessageRow = Selectable<Tables['form_messages']>;
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

export function findForm(db: Db, pageId: number, name: string): Promise<FormRow | undefined> {
  return db
    .selectFrom('page_forms')
    .selectAll()
    .where('page_id', '=', pageId)
    .where('name', '=', name)
    .executeTakeFirst();
}

export async function insertMessage(
  tx: Tx,
  message: Insertable<Tables['form_messages']>,
  files: Array<Insertable<Tables['form_files']>>,
): Promise<void> {
  await tx.insertInto('form_messages').values(message).execute();
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

/** Newest first, before the one with this id. */
export function listMessages(
  db: Db,
  { pageId, form }: { pageId: number; form: string },
  { limit, before, isUnread }: { limit: number; before?: string | undefined; isUnread?: boolean },
): Promise<MessageRow[]> {
  return messages(db, pageId, form)
    .$if(before !== undefined, (query) => query.where('id', '<', before ?? ''))
    .$if(isUnread === true, (query) => query.where('is_read', '=', 0))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
}

/** Oldest first, after the one with this id. */
export function listMessagesAfter(
  db: Db,
  { pageId, form }: { pageId: number; form: string },
  { limit, after }: { limit: number; after: string },
): Promise<MessageRow[]> {
  return messages(db, pageId, form).where('id', '>', after).orderBy('id').limit(limit).execute();
}

export function findMessage(
  db: Db,
  { pageId, form }: { pageId: number; form: string },
  id: string,
): Promise<MessageRow | undefined> {
  return messages(db, pageId, form).where('id', '=', id).executeTakeFirst();
}

function messages(db: Db, pageId: number, form: string) {
  return db.selectFrom('form_messages').selectAll().where('page_id', '=', pageId).where('form', '=', form);
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

/** The files of all messages of a form. */
export function listFormFiles(db: Db, pageId: number, form: string): Promise<Array<{ id: string }>> {
  return db
    .selectFrom('form_files')
    .innerJoin('form_messages', 'form_messages.id', 'form_files.message_id')
    .select('form_files.id')
    .where('form_messages.page_id', '=', pageId)
    .where('form', '=', form)
    .execute();
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

/** Its files are deleted with it. A form without messages is no longer listed. */
export async function deleteMessage(tx: Tx, message: MessageRow): Promise<void> {
  const { page_id, form, id, is_read, bytes } = message;
  await tx.deleteFrom('form_messages').where('id', '=', id).execute();
  await addToForm(tx, page_id, form, { messages: -1, unread: is_read - 1, bytes: -bytes });
  await tx
    .deleteFrom('page_forms')
    .where('page_id', '=', page_id)
    .where('name', '=', form)
    .where('messages', '=', 0)
    .execute();
}

export async function deleteForm(tx: Tx, pageId: number, name: string): Promise<void> {
  await tx.deleteFrom('form_messages').where('page_id', '=', pageId).where('form', '=', name).execute();
  await tx.deleteFrom('page_forms').where('page_id', '=', pageId).where('name', '=', name).execute();
}

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
