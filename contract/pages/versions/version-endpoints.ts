import { endpoint, endpoints } from '../../endpoint.ts';
import { idParams, NoFields, Restored, versionNumber } from '../../fields.ts';
import { PatchVersion, Version, VersionDetail, VersionList, VersionsQuery } from './versions.ts';

const READ = { kind: 'management', scope: 'pages:read' } as const;
const WRITE = { kind: 'management', scope: 'pages:write' } as const;
const versionParams = idParams.extend({ version: versionNumber });

export const pageVersionEndpoints = endpoints({
  listPageVersions: endpoint({
    method: 'GET',
    path: '/api/pages/:id/versions',
    access: READ,
    summary: 'List the last 200 versions of a page, newest first, or the 200 before one of them',
    params: idParams,
    query: VersionsQuery,
    response: VersionList,
  }),
  getPageVersion: endpoint({
    method: 'GET',
    path: '/api/pages/:id/versions/:version',
    access: READ,
    summary: 'Read one version: its document, and the list of its files',
    params: versionParams,
    response: VersionDetail,
  }),
  updatePageVersion: endpoint({
    method: 'PATCH',
    path: '/api/pages/:id/versions/:version',
    failures: ['QUOTA_EXCEEDED'],
    access: WRITE,
    summary: 'Change the note on a version',
    params: versionParams,
    body: PatchVersion,
    response: Version,
  }),
  restorePageVersion: endpoint({
    method: 'POST',
    path: '/api/pages/:id/versions/:version/restore',
    failures: ['QUOTA_EXCEEDED'],
    access: WRITE,
    summary: 'Make an earlier version current again, as a new version',
    params: versionParams,
    body: NoFields,
    bodyOptional: true,
    response: Restored,
  }),
});
