import { backupEndpoints } from '../../../contract/admin/backup-endpoints.ts';
import { handle, type Log, type Route } from '../../platform/http/index.ts';
import type { Db } from '../../platform/storage/index.ts';
import { createArchives } from './archives.ts';
import { KeptBackups } from './kept/kept-backups.ts';
import type { BackupPlace } from './kept/place.ts';
import { archiveHeaders, keptBackupRoutes, toBackupActor } from './kept/routes.ts';
import type { BackupContext } from './make.ts';

/** Thrown if an archive is not accepted. The message says why. */
export { ArchiveError } from './archive/archive-error.ts';
/** The first entry of an archive: what made it, and what is needed to read it. */
export type { Manifest } from './archive/manifest.ts';
/** Makes archives, one at a time. */
export { createArchives } from './archives.ts';
/** Reads an archive to its end and says what it contains, or what is wrong with it. */
export { type ArchiveContents, checkArchive } from './check.ts';
/** Compares the restored data with the archive. */
export { type Compared, compareRestored } from './compare.ts';
/** Where the server keeps backups: in a folder, or in a bucket that all nodes share. */
export { bucketPlace } from './kept/bucket.ts';
export { diskPlace } from './kept/disk.ts';
/** Restores an archive into an empty place. */
export { type JoinCluster, type Restored, restoreArchive } from './restore.ts';

/** Backups of everything, taken while the service runs. */
export interface Backups {
  routes: Route[];
  /** Starts a backup, one at a time. Its temporary files are removed when it has been read or aborted. */
  start(): ReadableStream<Uint8Array>;
  /** Aborts the running backup. */
  stop(): Promise<void>;
}

interface BackupsOptions extends BackupContext {
  log: Log;
  db: Db;
  place: BackupPlace;
  readUsernames(userIds: number[]): Promise<Map<number, string>>;
}

export async function createBackups({
  log,
  db,
  place,
  readUsernames,
  ...context
}: BackupsOptions): Promise<Backups> {
  const archives = createArchives({ ...context, log });
  const { now, storage } = context;
  const isAlone = storage.engine === 'sqlite';
  const kept = new KeptBackups({ place, db, isAlone, log, now, readUsernames, start: archives.start });
  await kept.recover();
  return {
    start: archives.start,
    routes: [
      handle(backupEndpoints.downloadBackup, async (input) => {
        const archive = archives.start();
        try {
          const actor = toBackupActor(input);
          await db.transaction().execute((tx) => kept.record(tx, actor, 'backup.download', 'a new backup'));
        } catch (error) {
          await archive.cancel();
          throw error;
        }
        return new Response(archive, { headers: archiveHeaders('quire-backup.tar.gz') });
      }),
      ...keptBackupRoutes(kept),
    ],
    async stop() {
      const stopped = kept.stop();
      await archives.stop();
      await stopped;
    },
  };
}
