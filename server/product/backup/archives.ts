import { AppError } from '../../lib/errors.ts';
import { type OpenArchive, openArchive } from '../../lib/formats/archive-stream.ts';
import { compress } from '../../lib/formats/gzip.ts';
import type { Log } from '../../platform/http/index.ts';
import { pack } from './archive/pack.ts';
import { type BackupContext, backupEntries } from './make.ts';

/** Makes archives, one at a time. */
export function createArchives({ log, ...context }: BackupContext & { log: Log }) {
  let running: OpenArchive | undefined;
  let isStopping = false;

  /**
   * Starts an archive. Its temporary files are removed when it has been read or aborted. `onEnd` is called then,
   * unless the caller knows better when its backup is complete.
   */
  function start({ onEnd = context.onEnd }: Pick<BackupContext, 'onEnd'> = {}): ReadableStream<Uint8Array> {
    if (running || isStopping) {
      throw new AppError('CONFLICT', 'Another backup is running. Try again when it is complete.');
    }
    const startedAt = context.now();
    const backup = openArchive(compress(pack(backupEntries(context), startedAt)), (failure) => {
      running = undefined;
      onEnd?.(failure ? 'failed' : 'complete');
      const seconds = Math.round((context.now() - startedAt) / 1000);
      if (failure) log.warn({ err: failure, seconds }, 'a backup was broken off');
      else log.info({ seconds }, 'a backup was made');
    });
    running = backup;
    return backup.stream;
  }

  return {
    start,
    /** Aborts the running archive. */
    async stop() {
      isStopping = true;
      await running?.breakOff(new Error('the server is stopping'));
    },
  };
}
