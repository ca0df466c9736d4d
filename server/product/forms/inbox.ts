import { setImmediate } from 'node:timers/promises';
import type { FormMessagesQuery } from '../../../contract/forms/messages.ts';
import { notFound } from '../../lib/errors.ts';
import { type Actor, downloadHeaders, withSize } from '../../platform/http/index.ts';
import type { Db, PageRow, Tx } from '../../platform/storage/index.ts';
import type { FormsContext } from './context.ts';
import {
  deleteMessages,
  type FileRow,
  type FormRow,
  findFile,
  findForm,
  findMessage,
  hasNotices,
  listFiles,
  listForms,
  listMessages,
  listPageFiles,
  type MessageRow,
  saveNotices,
  setAllRead,
  setRead,
  sumBytes,
} from './store.ts';
import { formFileKey } from './submit.ts';

/** The inbox of a page, for its owner and admins of its team. */

/** A form of a page, and who asks about it. */
interface FormRequest {
  idOrSlug: string;
  form: string;
  actor: Actor;
}

export type MessageWithFiles = MessageRow & { files: FileRow[] };

export async function readForms(context: FormsContext, idOrSlug: string, actor: Actor) {
  const { db, mail } = context;
  const page = await findPage(context, idOrSlug, actor);
  const formNotices = mail.isConfigured ? await hasNotices(db, page.id) : undefined;
  return { forms: await listForms(db, page.id), formNotices };
}

/** Turns mail about new messages on or off. */
export async function setNotices(
  context: FormsContext,
  { idOrSlug, actor }: Omit<FormRequest, 'form'>,
  formNotices: boolean,
): Promise<void> {
  await change(context, { idOrSlug, actor }, (tx, page) => saveNotices(tx, page.id, formNotices ? 1 : 0));
}

/** Bytes of fields that are read at once, so that other requests do not wait. One message may have more. */
const MAX_LISTED_BYTES = 512 * 1024;
/** Messages that are deleted in one transaction. */
const DELETED_AT_ONCE = 50;

/** Lists the messages of a form. A form without messages is not an error: it may be new, or was emptied. */
export async function readMessages(context: FormsContext, asked: FormRequest, query: FormMessagesQuery) {
  const { db } = context;
  const { id: pageId } = await findPage(context, asked.idOrSlug, asked.actor);
  const form = await findForm(db, pageId, asked.form);
  const { limit, before, unread } = query;
  const selection = { limit, maxBytes: MAX_LISTED_BYTES, before, isUnread: unread === 'true' };
  const { rows, hasMore } = await listMessages(db, { pageId, form: asked.form }, selection);
  return {
    messages: await withFiles(db, rows),
    hasMore,
    total: Number(form?.messages ?? 0),
    unread: Number(form?.unread ?? 0),
  };
}

export async function readMessage(
  context: FormsContext,
  asked: FormRequest,
  messageId: string,
): Promise<MessageWithFiles> {
  const row = await findAsked(context, asked, messageId);
  const [message] = await withFiles(context.db, [row]);
  if (!message) throw notFound('This message was not found.');
  return message;
}

export async function downloadFormFile(
  context: FormsContext,
  asked: FormRequest,
  { messageId, fileId }: { messageId: string; fileId: string },
): Promise<Response> {
  await findAsked(context, asked, messageId);
  const file = await findFile(context.db, messageId, fileId);
  // Stream the file instead of reading it into memory: clients can be slow, and many.
  const bytes = file && (await context.kept.slice(formFileKey(fileId)));
  if (!bytes) throw notFound('This file was not found.');
  const response = new Response(bytes, { headers: downloadHeaders(file) });
  return withSize(response, { bytes: file.size, from: 'whole' });
}

export async function markMessage(
  context: FormsContext,
  asked: FormRequest,
  messageId: string,
  isRead: boolean,
): Promise<MessageWithFiles> {
  await change(context, asked, async (tx, page) => {
    const message = await findMessage(tx, { pageId: page.id, form: asked.form }, messageId);
    if (!message) throw notFound('This message was not found.');
    await setRead(tx, message, isRead ? 1 : 0);
  });
  return readMessage(context, asked, messageId);
}

export async function markAll(context: FormsContext, asked: FormRequest, isRead: boolean): Promise<FormRow> {
  return change(context, asked, async (tx, page) => {
    const form = await findForm(tx, page.id, asked.form);
    if (!form) throw notFound('This form was not found.');
    await setAllRead(tx, form, isRead ? 1 : 0);
    return { ...form, unread: isRead ? 0 : form.messages };
  });
}

export async function removeMessage(
  context: FormsContext,
  asked: FormRequest,
  messageId: string,
): Promise<void> {
  await change(context, asked, async (tx, page) => {
    const message = await findMessage(tx, { pageId: page.id, form: asked.form }, messageId);
    if (!message) throw notFound('This message was not found.');
    await remove(context, tx, page, [message]);
  });
}

/** Deletes all messages of a form, except those that arrive meanwhile. Other requests get a turn in between. */
export async function removeForm(context: FormsContext, asked: FormRequest): Promise<void> {
  const page = await findPage(context, asked.idOrSlug, asked.actor);
  const place = { pageId: page.id, form: asked.form };
  const newest = await listMessages(context.db, place, { limit: 1, maxBytes: 0 });
  const last = newest.rows[0]?.id;
  if (last === undefined) throw notFound('This form was not found.');
  const selection = { limit: DELETED_AT_ONCE, maxBytes: MAX_LISTED_BYTES, after: '' };
  for (let isDone = false; !isDone; ) {
    isDone = await change(context, asked, async (tx, locked) => {
      const { rows, hasMore } = await listMessages(tx, place, selection);
      const old = rows.filter(({ id }) => id <= last);
      if (old.length > 0) await remove(context, tx, locked, old);
      return !hasMore || old.length < rows.length;
    });
    await setImmediate();
  }
}

/** Deletes messages of one form. */
async function remove(context: FormsContext, tx: Tx, page: PageRow, rows: MessageRow[]): Promise<void> {
  const files = await listFiles(
    tx,
    rows.map(({ id }) => id),
  );
  await release(context, tx, files);
  await deleteMessages(tx, { page_id: page.id, name: rows[0]?.form ?? '' }, rows);
  await context.chargeUsage(tx, page.owner_id, { bytes: -sumBytes(rows) });
}

/** Removes the messages of a page when it is deleted. Returns the freed bytes. */
export function removeFormsWithPage(context: Pick<FormsContext, 'kept'>) {
  return async (tx: Tx, page: { id: number }): Promise<number> => {
    await release(context, tx, await listPageFiles(tx, page.id));
    return (await listForms(tx, page.id)).reduce((sum, { bytes }) => sum + Number(bytes), 0);
  };
}

async function release({ kept }: Pick<FormsContext, 'kept'>, tx: Tx, files: Array<{ id: string }>) {
  if (files.length > 0)
    await kept.release(
      tx,
      files.map(({ id }) => formFileKey(id)),
    );
}

/** Finds a page for someone who can read its messages. */
export async function findPage(
  { db, pages }: Pick<FormsContext, 'db' | 'pages'>,
  idOrSlug: string,
  actor: Actor,
): Promise<PageRow> {
  return pages.require(db, await pages.find(db, idOrSlug), actor, 'read');
}

async function findAsked(context: FormsContext, asked: FormRequest, messageId: string): Promise<MessageRow> {
  const { id: pageId } = await findPage(context, asked.idOrSlug, asked.actor);
  const message = await findMessage(context.db, { pageId, form: asked.form }, messageId);
  if (!message) throw notFound('This message was not found.');
  return message;
}

function change<T>(
  { db, pages }: FormsContext,
  { idOrSlug, actor }: Omit<FormRequest, 'form'>,
  work: (tx: Tx, page: PageRow) => Promise<T>,
): Promise<T> {
  return db.transaction().execute(async (tx) => {
    const found = await pages.find(tx, idOrSlug);
    const page = await pages.require(tx, found && (await pages.lock(tx, found.id)), actor, 'write');
    return work(tx, page);
  });
}

export async function withFiles(db: Db, rows: MessageRow[]): Promise<MessageWithFiles[]> {
  const files = await listFiles(
    db,
    rows.map(({ id }) => id),
  );
  const byMessage = Map.groupBy(files, ({ message_id }) => message_id);
  return rows.map((row) => ({ ...row, files: byMessage.get(row.id) ?? [] }));
}
