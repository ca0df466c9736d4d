import { watch } from 'node:fs';

/** Editors write a file in several steps; this long after the last one it is whole. */
const SETTLE_MS = 80;

/**
 * Calls back after some of the named files in a folder were saved, one call at a time; saves during a call bring one
 * more. The folder is watched, not the files: many editors put a new file in the place of the old one.
 */
export function watchFiles(
  folder: string,
  names: readonly string[],
  signal: AbortSignal,
  onSave: () => Promise<void>,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let settling: ReturnType<typeof setTimeout> | undefined;
    let running = Promise.resolve();
    let isWaiting = false;
    const watcher = watch(folder, (_, name) => {
      if (name === null || !names.includes(name)) return;
      clearTimeout(settling);
      settling = setTimeout(() => {
        if (isWaiting) return;
        isWaiting = true;
        running = running
          .then(() => {
            isWaiting = false;
            return signal.aborted ? undefined : onSave();
          })
          .catch(end);
      }, SETTLE_MS);
    });
    const end = (error?: unknown) => {
      clearTimeout(settling);
      watcher.close();
      signal.removeEventListener('abort', stop);
      if (error) reject(error);
      else void running.then(resolve);
    };
    const stop = () => end();
    watcher.on('error', end);
    signal.addEventListener('abort', stop);
    if (signal.aborted) stop();
  });
}
