import type {
  FormList,
  FormMessage,
  FormMessageList,
  FormReadBody,
  FormSettings,
  FormSummary,
} from '../../../contract/forms/messages.ts';
import { api, request, toApiError } from '../../api.ts';

/** The endpoints that the inbox uses. */

export type { FormFile, FormList, FormMessage, FormSummary } from '../../../contract/forms/messages.ts';

const MOST_AT_ONCE = 100;

const forms = (pageId: number) => `/api/pages/${pageId}/forms`;
const pathOf = (pageId: number, { form, id }: Pick<FormMessage, 'form' | 'id'>) =>
  `${forms(pageId)}/${form}/${id}`;

export const listForms = (pageId: number, signal?: AbortSignal) =>
  api.get<FormList>(forms(pageId), signal && { signal });

export const setFormNotices = (pageId: number, formNotices: boolean) =>
  api.patch<FormSettings>(forms(pageId), { formNotices } satisfies FormSettings);

/** The newest messages of a form, as many as wanted. */
export async function listMessages(
  pageId: number,
  form: string,
  wanted: number,
  signal?: AbortSignal,
): Promise<FormMessage[]> {
  const found: FormMessage[] = [];
  while (found.length < wanted) {
    const limit = Math.min(MOST_AT_ONCE, wanted - found.length);
    const query = new URLSearchParams({ limit: String(limit) });
    const last = found.at(-1);
    if (last) query.set('before', last.id);
    const path = `${forms(pageId)}/${form}?${query}`;
    const { messages, hasMore } = await api.get<FormMessageList>(path, signal && { signal });
    found.push(...messages);
    if (!hasMore) break;
  }
  return found;
}

export const markMessage = (pageId: number, message: FormMessage, isRead: boolean) =>
  api.patch<FormMessage>(pathOf(pageId, message), { isRead } satisfies FormReadBody);

export const markAll = (pageId: number, form: string) =>
  api.patch<FormSummary>(`${forms(pageId)}/${form}`, { isRead: true } satisfies FormReadBody);

export const deleteMessage = (pageId: number, message: FormMessage) => api.delete(pathOf(pageId, message));

export const deleteForm = (pageId: number, form: string) => api.delete(`${forms(pageId)}/${form}`);

export const downloadFile = (pageId: number, message: FormMessage, fileId: string) =>
  download(`${pathOf(pageId, message)}/files/${fileId}`);

export const exportForm = (pageId: number, form: string) => download(`${forms(pageId)}/${form}/export`);

async function download(path: string): Promise<Blob> {
  const response = await request('GET', path);
  if (!response.ok) throw await toApiError(response);
  return response.blob();
}
