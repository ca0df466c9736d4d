import { endpoint, endpoints } from '../endpoint.ts';
import { binary, Done, idParams } from '../fields.ts';
import { MAX_PAGE_FILE_BYTES } from '../rules/limits.ts';
import {
  CreateDraft,
  DraftDetail,
  DraftFileQuery,
  DraftList,
  draftFileParams,
  draftParams,
  PatchDraft,
  PublishDraft,
  PublishedDraft,
  ReplacedDraftFiles,
  SavedDraft,
  WrittenDraftFile,
} from './drafts.ts';
import { FilesForm, UPLOAD_LIMIT } from './files/files.ts';
import { PAGE_BODY_LIMIT } from './pages.ts';

const READ = { kind: 'management', scope: 'pages:read' } as const;
const WRITE = { kind: 'management', scope: 'pages:write' } as const;
const DRAFT = '/api/pages/:id/drafts/:draft';
const FOLDER = '/api/pages/:id/drafts/:draft/files';
const FILE = `${FOLDER}/*path` as const;

export const draftEndpoints = endpoints({
  listDrafts: endpoint({
    method: 'GET',
    path: '/api/pages/:id/drafts',
    access: READ,
    summary: 'List the drafts of a page, last saved first',
    params: idParams,
    response: DraftList,
  }),
  createDraft: endpoint({
    method: 'POST',
    path: '/api/pages/:id/drafts',
    failures: ['QUOTA_EXCEEDED'],
    access: WRITE,
    summary: 'Save a draft beside a page: visitors do not see it until it is published',
    params: idParams,
    body: CreateDraft,
    bodyLimit: PAGE_BODY_LIMIT,
    status: 201,
    response: SavedDraft,
  }),
  getDraft: endpoint({
    method: 'GET',
    path: DRAFT,
    access: READ,
    summary: 'Read a draft: its document, and the list of its files',
    params: draftParams,
    response: DraftDetail,
  }),
  updateDraft: endpoint({
    method: 'PATCH',
    path: DRAFT,
    failures: ['QUOTA_EXCEEDED', 'CONFLICT'],
    access: WRITE,
    summary: 'Save a draft again: all given fields, or none',
    params: draftParams,
    body: PatchDraft,
    bodyLimit: PAGE_BODY_LIMIT,
    response: SavedDraft,
  }),
  deleteDraft: endpoint({
    method: 'DELETE',
    path: DRAFT,
    access: WRITE,
    summary: 'Delete a draft, for good',
    params: draftParams,
    response: Done,
  }),
  publishDraft: endpoint({
    method: 'POST',
    path: `${DRAFT}/publish`,
    failures: ['QUOTA_EXCEEDED', 'CONFLICT'],
    access: WRITE,
    summary: 'Make a draft the next version of its page; the draft is gone then',
    params: draftParams,
    body: PublishDraft,
    bodyOptional: true,
    response: PublishedDraft,
  }),
  replaceDraftFiles: endpoint({
    method: 'PUT',
    path: FOLDER,
    failures: ['QUOTA_EXCEEDED', 'CONFLICT', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'],
    access: WRITE,
    summary: 'Replace all files of a draft in one step; an index.html becomes its document',
    params: draftParams,
    query: DraftFileQuery,
    bodyType: 'multipart/form-data',
    bodySchema: FilesForm,
    bodyBytesType: 'application/zip',
    bodyLimit: UPLOAD_LIMIT,
    readsBody: true,
    response: ReplacedDraftFiles,
  }),
  readDraftFile: endpoint({
    method: 'GET',
    path: FILE,
    access: READ,
    summary: 'Read the bytes of a file of a draft; of index.html, its document',
    params: draftFileParams,
    answers: [
      { status: 200, description: 'The bytes.', type: '*/*', schema: binary, headers: ['ETag'] },
      { status: 304, description: 'Nothing has changed since the ETag in If-None-Match.' },
    ],
  }),
  writeDraftFile: endpoint({
    method: 'PUT',
    path: FILE,
    failures: ['QUOTA_EXCEEDED', 'CONFLICT', 'PAYLOAD_TOO_LARGE'],
    access: WRITE,
    summary: 'Add a file to a draft or replace its bytes',
    params: draftFileParams,
    query: DraftFileQuery,
    bodyType: '*/*',
    bodySchema: binary,
    bodyLimit: MAX_PAGE_FILE_BYTES,
    readsBody: true,
    response: WrittenDraftFile,
  }),
  deleteDraftFile: endpoint({
    method: 'DELETE',
    path: FILE,
    failures: ['CONFLICT', 'QUOTA_EXCEEDED'],
    access: WRITE,
    summary: 'Delete a file from a draft',
    params: draftFileParams,
    query: DraftFileQuery,
    response: SavedDraft,
  }),
});
