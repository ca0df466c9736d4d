import { backupEndpoints } from '../../../../contract/admin/backup-endpoints.ts';
import type { BackupList } from '../../../../contract/admin/backups.ts';
import { type Actor, handle, type Route, withSize } from '../../../platform/http/index.ts';
import type { Db } from '../../../platform/storage/index.ts';
import type { Encrypt } from '../age/encrypt.ts';
import type { BackupActor, KeptBackups } from './kept-backups.ts';

/** Routes of the backups that the server keeps. */
export function keptBackupRoutes(backups: KeptBackups, list: () => Promise<BackupList>): Route[] {
  return [
    handle(backupEndpoints.makeBackup, async (input) => ({
      success: true as const,
      backup: await backups.make(toBackupActor(input)),
    })),
    handle(backupEndpoints.listBackups, list),
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

/** The route of a new backup that its reader keeps. */
export function downloadRoute(parts: {
  db: Db;
  kept: KeptBackups;
  encrypt: Encrypt | undefined;
  start(): ReadableStream<Uint8Array>;
}): Route {
  const { db, encrypt, kept, start } = parts;
  return handle(backupEndpoints.downloadBackup, async (input) => {
    const archive = start();
    try {
      const actor = toBackupActor(input);
      await db.transaction().execute((tx) => kept.record(tx, actor, 'backup.download', 'a new backup'));
      const name = `quire-backup.tar.gz${encrypt ? '.age' : ''}`;
      return new Response(encrypt ? await encrypt(archive) : archive, { headers: archiveHeaders(name) });
    } catch (error) {
      await archive.cancel().catch(() => undefined);
      throw error;
    }
  });
}

const toBackupActor = ({ actor, address }: { actor: Actor; address: string }): BackupActor => ({
  user: actor,
  address,
});

const archiveHeaders = (name: string) => ({
  'content-type': name.endsWith('.age') ? 'application/octet-stream' : 'application/gzip',
  'content-disposition': `attachment; filename="${name}"`,
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
});
