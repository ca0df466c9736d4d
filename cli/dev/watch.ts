import { watch } from 'node:fs';

/** Editors write a file in several steps. After this time without changes, it is complete. */
const SETTLE_MS = 80;

/**
 * Calls back after some of the named files in a folder are saved, one call at a time. Saves during a call cause one more
 * call. It watches the folder and not the files, because many editors replace a file with a new one.
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
