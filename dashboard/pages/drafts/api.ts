import type { Done } from '../../../contract/fields.ts';
import type {
  DraftDetail,
  DraftList,
  LinkedDraft,
  NewDraft,
  PatchDraft,
  PublishDraft,
  PublishedDraft,
  SavedDraft,
} from '../../../contract/pages/drafts.ts';
import { api } from '../../api.ts';

/** The endpoints for drafts: what is saved beside a page, and not published. */

export type { DraftDetail, LinkedDraft };

const home = (pageId: number) => `/api/pages/${pageId}/drafts`;

export const listDrafts = async (pageId: number, signal?: AbortSignal) =>
  (await api.get<DraftList>(home(pageId), signal && { signal })).drafts;

export const getDraft = (pageId: number, draft: number, signal?: AbortSignal) =>
  api.get<DraftDetail>(`${home(pageId)}/${draft}`, signal && { signal });

export const createDraft = (pageId: number, draft: NewDraft) => api.post<SavedDraft>(home(pageId), draft);

export const patchDraft = (pageId: number, draft: number, patch: PatchDraft) =>
  api.patch<SavedDraft>(`${home(pageId)}/${draft}`, patch);

export const deleteDraft = (pageId: number, draft: number) => api.delete<Done>(`${home(pageId)}/${draft}`);

export const publishDraft = (pageId: number, draft: number, body: PublishDraft) =>
  api.post<PublishedDraft>(`${home(pageId)}/${draft}/publish`, body);
