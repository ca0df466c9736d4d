import { backupEndpoints } from '../../../../contract/admin/backup-endpoints.ts';
import { type Actor, handle, type Route, withSize } from '../../../platform/http/index.ts';
import type { BackupActor, KeptBackups } from './kept-backups.ts';

/** Routes of the backups that the server keeps. */
export function keptBackupRoutes(backups: KeptBackups): Route[] {
  return [
    handle(backupEndpoints.makeBackup, async (input) => ({
      success: true as const,
      backup: await backups.make(toBackupActor(input)),
    })),
    handle(backupEndpoints.listBackups, () => backups.list()),
    handle(backupEndpoints.downloadKeptBackup, async ({ params: { name }, ...input }) => {
      const { bytes, body } = await backups.open(name, toBackupActor(input));
      const headers = { ...archiveHeaders(name), 'content-length': String(bytes) };
      return withSize(new Response(body, { headers }), { bytes, from: 'whole' });
    }),
    handle(backupEndpoints.deleteBackup, ({ params: { name }, ...input }) =>
      backups.remove(name, toBackupActor(input)),
    ),
  ];
}

export const toBackupActor = ({ actor, address }: { actor: Actor; address: string }): BackupActor => ({
  user: actor,
  address,
});

export const archiveHeaders = (name: string) => ({
  'content-type': 'application/gzip',
  'content-disposition': `attachment; filename="${name}"`,
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
});
