import {
  MAX_FORM_MESSAGES,
  MAX_FORMS,
  MAX_INBOX_BYTES,
  MAX_INBOX_BYTES_FOR_FILES,
} from '../../../contract/forms/limits.ts';
import { byteLength } from '../../../contract/rules/text.ts';
import { limitKey } from '../../lib/addresses.ts';
import { AppError, notFound } from '../../lib/errors.ts';
import { type Caller, identifySender, type Visit } from '../../platform/http/index.ts';
import type { PageRow, Tx } from '../../platform/storage/index.ts';
import type { FormsContext } from './context.ts';
import { resolveNext, wrongNext } from './next.ts';
import { notifyOwner } from './notices.ts';
import { findForm, insertMessage, listForms } from './store.ts';
import { readSubmission, type Submission } from './submission.ts';

/** Where the bytes of a file are stored. Folders keep the number of files in each small. */
export const formFileKey = (id: string) => `form-files/${id.slice(-2)}/${id}`;

/** A form that someone sends. */
interface Sending {
  idOrSlug: string;
  form: string;
  /** The sender, only to decide whether they can see the page. The sender of a message is not recorded. */
  caller: Caller;
  address: string;
  pageHost: Visit['pageHost'];
  request: Request;
}

/** Stores a message. Returns the page, and the URL that the browser should go to, if the form names one. */
export async function submitForm(
  context: FormsContext,
  sending: Sending,
): Promise<{ page: PageRow; next: string | undefined }> {
  const { db, pages, limits } = context;
  const { caller, address, request } = sending;
  const { actor } = caller;
  await limits.perAddress.take(limitKey(address));
  const page = await pages.see(db, await pages.find(db, sending.idOrSlug), caller);
  const submission = await readSubmission(request, identifySender(actor, address));
  const next =
    submission.next === undefined
      ? undefined
      : resolveNext(submission.next, { ...context, ...sending, page });
  if (submission.next !== undefined && next === undefined) throw wrongNext();
  // A check of the page must not write to its owner.
  if (submission.isTrapped || actor?.isCheck) return { page, next };

  if (await isMadeUp(context, page.id, sending.form))
    await limits.newForms.take(`${page.id} ${limitKey(address)}`);
  const counted = String(page.id);
  await limits.perPage.take(counted);
  try {
    await store(context, page, sending.form, submission);
  } catch (error) {
    await limits.perPage.giveBack(counted);
    throw error;
  }
  return { page, next };
}

async function store(
  context: FormsContext,
  { id: pageId }: PageRow,
  form: string,
  { fields, files }: Submission,
): Promise<void> {
  const { now, kept, pages } = context;
  const moment = now();
  const stored = files.map((file) => ({ ...file, id: Bun.randomUUIDv7('hex', moment) }));
  const bytes = byteLength(fields) + stored.reduce((sum, file) => sum + file.bytes.byteLength, 0);
  await kept.keepAll(
    stored.map((file) => ({ key: formFileKey(file.id), bytes: file.bytes })),
    async (tx) => {
      const page = await pages.lock(tx, pageId);
      if (!page) throw notFound('This page was not found.');
      await assertRoom(context, tx, { pageId, form, bytes, hasFiles: files.length > 0 });
      const id = Bun.randomUUIDv7('hex', moment);
      await insertMessage(
        tx,
        { id, page_id: pageId, form, fields, is_read: 0, bytes, created_at: moment },
        stored.map((file) => ({
          id: file.id,
          page_id: pageId,
          message_id: id,
          field: file.field,
          name: file.name,
          content_type: file.contentType,
          size: file.bytes.byteLength,
        })),
      );
      await context.chargeUsage(tx, page.owner_id, { bytes }).catch(orFull);
      await notifyOwner(context, tx, page, { form, fields, files: files.length });
    },
  );
}

/** Fails if the inbox of the page is full. Call this while the page is locked. */
async function assertRoom(
  { readPageHtml }: FormsContext,
  tx: Tx,
  { pageId, form, bytes, hasFiles }: { pageId: number; form: string; bytes: number; hasFiles: boolean },
): Promise<void> {
  const forms = await listForms(tx, pageId);
  const total = { messages: 0, bytes };
  for (const each of forms) {
    total.messages += Number(each.messages);
    total.bytes += Number(each.bytes);
  }
  if (total.messages >= MAX_FORM_MESSAGES || total.bytes > MAX_INBOX_BYTES) throw inboxFull();
  if (hasFiles && total.bytes > MAX_INBOX_BYTES_FOR_FILES) throw noMoreFiles();
  if (forms.length < MAX_FORMS || forms.some(({ name }) => name === form)) return;
  // Strangers can make up names, but they must not displace the forms of the page itself.
  if (isNamedIn(await readPageHtml(tx, pageId), form)) return;
  throw new AppError(
    'QUOTA_EXCEEDED',
    'This page has messages for {count} forms already, so this one cannot get any. Use the name of a form of the page.',
    { count: MAX_FORMS },
  );
}

/** Whether this is the first message for a form that the page does not name: it may be in a file, or nowhere. */
async function isMadeUp({ db, readPageHtml }: FormsContext, pageId: number, form: string): Promise<boolean> {
  return (await findForm(db, pageId, form)) === undefined && !isNamedIn(await readPageHtml(db, pageId), form);
}

const isNamedIn = (html: string, form: string) => html.includes(`"${form}"`) || html.includes(`'${form}'`);

/** Turns a quota error into one for the visitor, who must know that the message did not arrive. */
function orFull(error: unknown): never {
  throw error instanceof AppError && error.code === 'QUOTA_EXCEEDED' ? inboxFull() : error;
}

function noMoreFiles(): AppError {
  return new AppError(
    'QUOTA_EXCEEDED',
    'The owner of this page has no space left for files, so your message was not sent. Send it without files.',
  );
}

function inboxFull(): AppError {
  return new AppError(
    'QUOTA_EXCEEDED',
    'The owner of this page has no space left for messages, so yours was not sent. Please reach them in another way, or try again later.',
  );
}
