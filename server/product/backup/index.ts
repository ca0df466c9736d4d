import { binary } from '../../../contract/fields.ts';
import { ADMIN_SCOPE } from '../../../contract/scopes.ts';
import { AppError } from '../../lib/errors.ts';
import { type Log, type Route, route } from '../../platform/http/index.ts';
import { compress } from './archive/compress.ts';
import { pack } from './archive/pack.ts';
import { type Backup, openBackup } from './archive/stream.ts';
import { type BackupContext, backupEntries } from './make.ts';

/** Thrown if an archive is not accepted. The message says why. */
export { ArchiveError } from './archive/archive-error.ts';
/** Reads an archive to its end and says what it contains, or what is wrong with it. */
export { type ArchiveContents, checkArchive } from './check.ts';
/** Checks again that everything was restored. */
export { type Compared, compareRestored } from './compare.ts';
/** Restores an archive into an empty place. */
export { type JoinCluster, type Restored, restoreArchive } from './restore.ts';

/** Backups of everything, taken while the service runs. */
export interface Backups {
  routes: Route[];
  /** Starts one. What was made for it is removed when it has been read or aborted. One at a time. */
  start(): ReadableStream<Uint8Array>;
  /** Aborts the running one. */
  stop(): Promise<void>;
}

export function createBackups({ log, ...context }: BackupContext & { log: Log }): Backups {
  let running: Backup | undefined;
  let isStopping = false;

  function start(): ReadableStream<Uint8Array> {
    if (running || isStopping) {
      throw new AppError('CONFLICT', 'Another backup is running. Try again when it has finished.');
    }
    const startedAt = context.now();
    const backup = openBackup(compress(pack(backupEntries(context), startedAt)), (failure) => {
      running = undefined;
      const seconds = Math.round((context.now() - startedAt) / 1000);
      if (failure) log.warn({ err: failure, seconds }, 'a backup was broken off');
      else log.info({ seconds }, 'a backup was made');
    });
    running = backup;
    return backup.stream;
  }

  return {
    start,
    routes: [
      route({
        method: 'GET',
        path: '/api/admin/backup',
        operationId: 'downloadBackup',
        failures: ['CONFLICT'],
        answers: [
          {
            status: 200,
            description: 'The archive.',
            type: 'application/gzip',
            schema: binary,
            headers: ['Content-Disposition'],
          },
        ],
        access: { kind: 'management', scope: ADMIN_SCOPE },
        summary: 'Everything, as one archive (.tar.gz) for quire restore',
        handle: () =>
          new Response(start(), {
            headers: {
              'content-type': 'application/gzip',
              'content-disposition': 'attachment; filename="quire-backup.tar.gz"',
              'cache-control': 'no-store',
              'x-content-type-options': 'nosniff',
            },
          }),
      }),
    ],
    async stop() {
      isStopping = true;
      await running?.breakOff(new Error('the server is stopping'));
    },
  };
}
