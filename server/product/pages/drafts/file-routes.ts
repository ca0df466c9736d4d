import { binary } from '../../../../contract/fields.ts';
import {
  DraftFileQuery,
  draftFileParams,
  draftParams,
  ReplacedDraftFiles,
  SavedDraft,
  WrittenDraftFile,
} from '../../../../contract/pages/drafts.ts';
import { FilesForm } from '../../../../contract/pages/files.ts';
import { normalizeFilePath } from '../../../../contract/rules/file-paths.ts';
import { MAX_PAGE_FILE_BYTES } from '../../../../contract/rules/limits.ts';
import { type Route, route, signedIn } from '../../../platform/http/index.ts';
import type { PagesContext } from '../context.ts';
import { UPLOAD_LIMIT } from '../files/uploads/uploads.ts';
import { deleteDraftFile, readDraftFile, replaceDraftFiles, writeDraftFile } from './files.ts';

const READ = { kind: 'management', scope: 'pages:read' } as const;
const WRITE = { kind: 'management', scope: 'pages:write' } as const;

const FOLDER = '/api/pages/:id/drafts/:draft/files';
const FILE = `${FOLDER}/*path` as const;

/** The files of a draft. They change without a new version. */
export function draftFileRoutes(context: PagesContext): Route[] {
  return [
    ...changeRoutes(context),
    route({
      method: 'PUT',
      path: FOLDER,
      operationId: 'replaceDraftFiles',
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
      handle: ({ params, query, actor, request }) =>
        replaceDraftFiles(context, signedIn(actor), { ...params, ...query }, request),
    }),
    route({
      method: 'GET',
      path: FILE,
      operationId: 'readDraftFile',
      access: READ,
      summary: 'Read the bytes of a file of a draft; of index.html, its document',
      params: draftFileParams,
      answers: [
        { status: 200, description: 'The bytes.', type: '*/*', schema: binary, headers: ['ETag'] },
        { status: 304, description: 'Nothing has changed since the ETag in If-None-Match.' },
      ],
      handle: ({ params, actor, request }) => readDraftFile(context, actor, fileOf(params), request),
    }),
  ];
}

function changeRoutes(context: PagesContext): Route[] {
  return [
    route({
      method: 'PUT',
      path: FILE,
      operationId: 'writeDraftFile',
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
      handle: ({ params, query, actor, request }) =>
        writeDraftFile(context, signedIn(actor), { ...fileOf(params), ...query }, request),
    }),
    route({
      method: 'DELETE',
      path: FILE,
      operationId: 'deleteDraftFile',
      failures: ['CONFLICT', 'QUOTA_EXCEEDED'],
      access: WRITE,
      summary: 'Delete a file from a draft',
      params: draftFileParams,
      query: DraftFileQuery,
      response: SavedDraft,
      handle: ({ params, query, actor }) =>
        deleteDraftFile(context, signedIn(actor), { ...fileOf(params), ...query }),
    }),
  ];
}

const fileOf = <Params extends { path: string }>(params: Params) => ({
  ...params,
  path: normalizeFilePath(params.path),
});
