import { draftEndpoints } from '../../../contract/pages/draft-endpoints.ts';
import type {
  DraftDetail,
  LinkedDraft,
  NewDraft,
  PatchDraft,
  PublishDraft,
} from '../../../contract/pages/drafts.ts';
import { call } from '../../api.ts';

/** The endpoints for drafts: what is saved beside a page, and not published. */

export type { DraftDetail, LinkedDraft };

export const listDrafts = async (id: number, signal?: AbortSignal) =>
  (await call(draftEndpoints.listDrafts, { params: { id }, signal })).drafts;

export const getDraft = (id: number, draft: number, signal?: AbortSignal) =>
  call(draftEndpoints.getDraft, { params: { id, draft }, signal });

export const createDraft = (id: number, body: NewDraft) =>
  call(draftEndpoints.createDraft, { params: { id }, body });

export const patchDraft = (id: number, draft: number, body: PatchDraft) =>
  call(draftEndpoints.updateDraft, { params: { id, draft }, body });

export const deleteDraft = (id: number, draft: number) =>
  call(draftEndpoints.deleteDraft, { params: { id, draft } });

export const publishDraft = (id: number, draft: number, body: PublishDraft) =>
  call(draftEndpoints.publishDraft, { params: { id, draft }, body });
