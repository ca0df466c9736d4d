import { endpoint, endpoints } from '../endpoint.ts';
import { FilesForm, UPLOAD_LIMIT } from '../pages/files/files.ts';
import { ImportAddress, ImportQuery, ImportReport } from './imports.ts';

const WRITE = { kind: 'management', scope: 'pages:write' } as const;
const FAILURES = [
  'BAD_REQUEST',
  'CONFLICT',
  'DEPLOY_FAILED',
  'INVALID_SLUG',
  'PAYLOAD_TOO_LARGE',
  'QUOTA_EXCEEDED',
  'SLUG_TAKEN',
] as const;

export const importEndpoints = endpoints({
  importFiles: endpoint({
    method: 'POST',
    path: '/api/imports',
    failures: [...FAILURES, 'UNSUPPORTED_MEDIA_TYPE'],
    access: WRITE,
    changes: 'new',
    summary:
      'Import a site, a saved page, a component, a Worker or a Val Town project from an archive, a form with files, or one file: first a report; with its digest, it is published',
    query: ImportQuery,
    bodyType: 'multipart/form-data',
    bodySchema: FilesForm,
    bodyBytesType: 'application/octet-stream',
    bodyLimit: UPLOAD_LIMIT,
    readsBody: true,
    response: ImportReport,
  }),
  importAddress: endpoint({
    method: 'POST',
    path: '/api/imports/address',
    failures: [...FAILURES, 'RATE_LIMITED'],
    access: WRITE,
    changes: 'new',
    summary: 'Import what is at an address: first a report; with its digest, it is published',
    body: ImportAddress,
    response: ImportReport,
  }),
});
