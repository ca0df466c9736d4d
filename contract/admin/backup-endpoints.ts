import { endpoint, endpoints } from '../endpoint.ts';
import { binary } from '../fields.ts';
import { ADMIN_SCOPE } from '../scopes.ts';
import { BackupList, backupParams, StartedBackup } from './backups.ts';

const access = { kind: 'management', scope: ADMIN_SCOPE } as const;
/** A response that is an archive of a backup. */
const ARCHIVE = {
  status: 200,
  description: 'The archive.',
  type: 'application/gzip',
  schema: binary,
  headers: ['Content-Disposition'],
};
/** With QUIRE_BACKUP_KEY, the archive is encrypted. */
const ENCRYPTED = {
  ...ARCHIVE,
  description: 'The archive, encrypted with age, if the server has a key for it.',
  type: 'application/octet-stream',
};

export const backupEndpoints = endpoints({
  makeBackup: endpoint({
    method: 'POST',
    path: '/api/admin/backups',
    failures: ['CONFLICT'],
    access,
    stores: true,
    summary: 'Start a backup that the server keeps; it is made in the background',
    status: 202,
    response: StartedBackup,
  }),
  listBackups: endpoint({
    method: 'GET',
    path: '/api/admin/backups',
    access,
    summary: 'List the backups that the server keeps, and the one that is being made',
    response: BackupList,
  }),
  downloadKeptBackup: endpoint({
    method: 'GET',
    path: '/api/admin/backups/:name',
    access,
    summary: 'Download a backup, an archive (.tar.gz) for quire restore',
    params: backupParams,
    answers: [
      ARCHIVE,
      ENCRYPTED,
      { status: 206, description: 'The part that Range asks for.', type: '*/*', schema: binary },
      { status: 416, description: 'The archive ends before the part that Range asks for.' },
    ],
  }),
  deleteBackup: endpoint({
    method: 'DELETE',
    path: '/api/admin/backups/:name',
    failures: ['CONFLICT'],
    access,
    summary: 'Delete a backup',
    params: backupParams,
    status: 204,
  }),
  downloadBackup: endpoint({
    method: 'GET',
    path: '/api/admin/backup',
    failures: ['CONFLICT'],
    answers: [ARCHIVE, ENCRYPTED],
    access: { kind: 'management', scope: ADMIN_SCOPE },
    summary: 'Everything, as one archive (.tar.gz) for quire restore',
  }),
});
