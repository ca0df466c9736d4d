import { formEndpoints } from '../../../contract/forms/endpoints.ts';
import type { FormMessage } from '../../../contract/forms/messages.ts';
import { call, request } from '../../api.ts';

/** The endpoints that the inbox uses. */

export type { FormFile, FormList, FormMessage, FormSummary } from '../../../contract/forms/messages.ts';

const MOST_AT_ONCE = 100;

export const listForms = (id: number, signal?: AbortSignal) =>
  call(formEndpoints.listForms, { params: { id }, signal });

export const setFormNotices = (id: number, formNotices: boolean) =>
  call(formEndpoints.setFormNotices, { params: { id }, body: { formNotices } });

/** The newest messages of a form, as many as wanted. */
export async function listMessages(
  id: number,
  name: string,
  wanted: number,
  signal?: AbortSignal,
): Promise<FormMessage[]> {
  const found: FormMessage[] = [];
  while (found.length < wanted) {
    const query = { limit: Math.min(MOST_AT_ONCE, wanted - found.length), before: found.at(-1)?.id };
    const { messages, hasMore } = await call(formEndpoints.listFormMessages, {
      params: { id, name },
      query,
      signal,
    });
    found.push(...messages);
    if (!hasMore) break;
  }
  return found;
}

const toParams = (id: number, message: FormMessage) => ({ id, name: message.form, messageId: message.id });

export const markMessage = (id: number, message: FormMessage, isRead: boolean) =>
  call(formEndpoints.markFormMessage, { params: toParams(id, message), body: { isRead } });

export const markAll = (id: number, name: string) =>
  call(formEndpoints.markForm, { params: { id, name }, body: { isRead: true } });

export const deleteMessage = (id: number, message: FormMessage) =>
  call(formEndpoints.deleteFormMessage, { params: toParams(id, message) });

export const deleteForm = (id: number, name: string) =>
  call(formEndpoints.deleteForm, { params: { id, name } });

export async function downloadFile(id: number, message: FormMessage, fileId: string): Promise<Blob> {
  const params = { ...toParams(id, message), fileId };
  return (await request(formEndpoints.downloadFormFile, { params })).blob();
}

export const exportForm = async (id: number, name: string) =>
  (await request(formEndpoints.exportFormMessages, { params: { id, name } })).blob();
