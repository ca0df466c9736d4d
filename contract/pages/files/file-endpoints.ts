import { endpoint, endpoints } from '../../endpoint.ts';
import { binary, idParams } from '../../fields.ts';
import { MAX_PAGE_FILE_BYTES } from '../../rules/limits.ts';
import {
  DeletedFile,
  FileChangeQuery,
  FileQuery,
  FilesForm,
  filePathParams,
  PageFileList,
  ReplacedFiles,
  UPLOAD_LIMIT,
  WrittenFile,
} from './files.ts';

const READ = { kind: 'management', scope: 'pages:read' } as const;
const WRITE = { kind: 'management', scope: 'pages:write' } as const;

export const fileEndpoints = endpoints({
  listPageFiles: endpoint({
    method: 'GET',
    path: '/api/pages/:id/files',
    access: READ,
    summary: 'List the files of a page. Its document, index.html, is not among them',
    params: idParams,
    query: FileQuery,
    response: PageFileList,
  }),
  replacePageFiles: endpoint({
    method: 'PUT',
    path: '/api/pages/:id/files',
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
  }),
  exportPage: endpoint({
    method: 'GET',
    path: '/api/pages/:id/export',
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
  }),
  readPageFile: endpoint({
    method: 'GET',
    path: '/api/pages/:id/files/*path',
    access: READ,
    summary: 'Read the bytes of a file; of index.html, the document',
    params: filePathParams,
    query: FileQuery,
    answers: [
      { status: 200, description: 'The bytes.', type: '*/*', schema: binary, headers: ['ETag'] },
      { status: 304, description: 'Nothing has changed since the ETag in If-None-Match.' },
    ],
  }),
  writePageFile: endpoint({
    method: 'PUT',
    path: '/api/pages/:id/files/*path',
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
  }),
  deletePageFile: endpoint({
    method: 'DELETE',
    path: '/api/pages/:id/files/*path',
    failures: ['CONFLICT', 'QUOTA_EXCEEDED'],
    access: WRITE,
    summary: 'Delete a file, as a new version',
    params: filePathParams,
    query: FileChangeQuery,
    response: DeletedFile,
  }),
});
