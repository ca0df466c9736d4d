import { BackupList, backupParams, StartedBackup } from '../../../../contract/admin/backups.ts';
import { binary } from '../../../../contract/fields.ts';
import { ADMIN_SCOPE } from '../../../../contract/scopes.ts';
import { type Actor, type Route, route, signedIn, withSize } from '../../../platform/http/index.ts';
import type { Doer, KeptBackups } from './kept-backups.ts';

const access = { kind: 'management', scope: ADMIN_SCOPE } as const;

/** Backups that the server keeps. */
export function keptBackupRoutes(backups: KeptBackups): Route[] {
  return [
    route({
      method: 'POST',
      path: '/api/admin/backups',
      operationId: 'makeBackup',
      failures: ['CONFLICT'],
      access,
      stores: true,
      summary: 'Start a backup that the server keeps; it is made in the background',
      status: 202,
      response: StartedBackup,
      handle: async (input) => ({ success: true, backup: await backups.make(doerOf(input)) }),
    }),
    route({
      method: 'GET',
      path: '/api/admin/backups',
      operationId: 'listBackups',
      access,
      summary: 'List the backups that the server keeps, and the one that is being made',
      response: BackupList,
      handle: () => backups.list(),
    }),
    route({
      method: 'GET',
      path: '/api/admin/backups/:name',
      operationId: 'downloadKeptBackup',
      access,
      summary: 'Download a backup, an archive (.tar.gz) for quire restore',
      params: backupParams,
      answers: [ARCHIVE],
      async handle({ params: { name }, ...input }) {
        const { bytes, body } = await backups.open(name, doerOf(input));
        const headers = { ...archiveHeaders(name), 'content-length': String(bytes) };
        return withSize(new Response(body, { headers }), { bytes, from: 'whole' });
      },
    }),
    route({
      method: 'DELETE',
      path: '/api/admin/backups/:name',
      operationId: 'deleteBackup',
      failures: ['CONFLICT'],
      access,
      summary: 'Delete a backup',
      params: backupParams,
      status: 204,
      handle: ({ params: { name }, ...input }) => backups.remove(name, doerOf(input)),
    }),
  ];
}

export const doerOf = ({ actor, address }: { actor: Actor | undefined; address: string }): Doer => ({
  user: signedIn(actor),
  address,
});

/** The response that is an archive. */
export const ARCHIVE = {
  status: 200,
  description: 'The archive.',
  type: 'application/gzip',
  schema: binary,
  headers: ['Content-Disposition'],
};

export const archiveHeaders = (name: string) => ({
  'content-type': 'application/gzip',
  'content-disposition': `attachment; filename="${name}"`,
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
});
