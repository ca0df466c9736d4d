import { binary, idParams } from '../../../../contract/fields.ts';
import {
  DeletedFile,
  FileChangeQuery,
  FileQuery,
  FilesForm,
  filePathParams,
  PageFileList,
  ReplacedFiles,
  WrittenFile,
} from '../../../../contract/pages/files.ts';
import { normalizeFilePath } from '../../../../contract/rules/file-paths.ts';
import { MAX_PAGE_FILE_BYTES } from '../../../../contract/rules/limits.ts';
import { type Route, route, signedIn } from '../../../platform/http/index.ts';
import type { PagesContext } from '../context.ts';
import { exportPage } from './export.ts';
import { downloadFile, readFiles } from './read.ts';
import { replaceFiles } from './replace.ts';
import { UPLOAD_LIMIT } from './uploads/uploads.ts';
import { toFileList } from './wire.ts';
import { deleteFile, writeFile } from './write.ts';

const READ = { kind: 'management', scope: 'pages:read' } as const;
const WRITE = { kind: 'management', scope: 'pages:write' } as const;

/** The files of a page. */
export function fileRoutes(context: PagesContext): Route[] {
  return [...allFilesRoutes(context), ...oneFileRoutes(context)];
}

function allFilesRoutes(context: PagesContext): Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/pages/:id/files',
      operationId: 'listPageFiles',
      access: READ,
      summary: 'List the files of a page. Its document, index.html, is not among them',
      params: idParams,
      query: FileQuery,
      response: PageFileList,
      handle: async ({ params, query, actor }) =>
        toFileList((await readFiles(context, actor, params.id, query.version)).files),
    }),
    route({
      method: 'PUT',
      path: '/api/pages/:id/files',
      operationId: 'replacePageFiles',
      failures: ['QUOTA_EXCEEDED', 'CONFLICT', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'],
      access: WRITE,
      summary: 'Replace all files of a page in one step; an index.html becomes its document',
      params: idParams,
      query: FileChangeQuery,
      bodyType: 'multipart/form-data',
      bodySchema: FilesForm,
      bodyBytesType: 'application/zip',
      bodyLimit: UPLOAD_LIMIT,
      readsBody: true,
      response: ReplacedFiles,
      handle: ({ params, query, actor, request }) =>
        replaceFiles(context, signedIn(actor), params.id, request, query.base_version),
    }),
    route({
      method: 'GET',
      path: '/api/pages/:id/export',
      operationId: 'exportPage',
      access: READ,
      summary: 'Download a page with its files as a ZIP archive',
      params: idParams,
      answers: [
        {
          status: 200,
          description: 'index.html and the files.',
          type: 'application/zip',
          schema: binary,
          headers: ['Content-Disposition'],
        },
      ],
      handle: ({ params, actor }) => exportPage(context, actor, params.id),
    }),
  ];
}

function oneFileRoutes(context: PagesContext): Route[] {
  const path = '/api/pages/:id/files/*path';
  return [
    route({
      method: 'GET',
      path,
      operationId: 'readPageFile',
      access: READ,
      summary: 'Read the bytes of a file; of index.html, the document',
      params: filePathParams,
      query: FileQuery,
      answers: [
        { status: 200, description: 'The bytes.', type: '*/*', schema: binary, headers: ['ETag'] },
        { status: 304, description: 'Nothing has changed since the ETag in If-None-Match.' },
      ],
      handle: ({ params, query, actor, request }) =>
        downloadFile(context, actor, { ...fileOf(params), version: query.version }, request),
    }),
    route({
      method: 'PUT',
      path,
      operationId: 'writePageFile',
      failures: ['QUOTA_EXCEEDED', 'CONFLICT', 'PAYLOAD_TOO_LARGE'],
      access: WRITE,
      summary: 'Add a file or replace its bytes, as a new version',
      params: filePathParams,
      query: FileChangeQuery,
      bodyType: '*/*',
      bodySchema: binary,
      bodyLimit: MAX_PAGE_FILE_BYTES,
      readsBody: true,
      response: WrittenFile,
      handle: ({ params, query, actor, request }) =>
        writeFile(context, signedIn(actor), { ...fileOf(params), baseVersion: query.base_version }, request),
    }),
    route({
      method: 'DELETE',
      path,
      operationId: 'deletePageFile',
      failures: ['CONFLICT', 'QUOTA_EXCEEDED'],
      access: WRITE,
      summary: 'Delete a file, as a new version',
      params: filePathParams,
      query: FileChangeQuery,
      response: DeletedFile,
      handle: ({ params, query, actor }) =>
        deleteFile(context, signedIn(actor), { ...fileOf(params), baseVersion: query.base_version }),
    }),
  ];
}

const fileOf = ({ id, path }: { id: number; path: string }) => ({ id, path: normalizeFilePath(path) });
