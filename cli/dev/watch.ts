import { type FSWatcher, watch } from 'node:fs';
import { relative, sep } from 'node:path';
import { type Ignores, readIgnoreRules } from '../project/files/ignore.ts';
import { walk } from '../project/files/scan.ts';
import { CommandError } from '../usage.ts';

/** Editors write a file in several steps. After this time without changes, it is complete. */
const SETTLE_MS = 80;

/**
 * Calls back after files in a folder are saved, one call at a time. Saves during a call cause one more call. It watches
 * folders and not files, because many editors replace a file with a new one, and no ignored folders, because a
 * node_modules has more of them than a system watches.
 */
export class FolderWatch {
  readonly #watchers = new Map<string, FSWatcher>();
  #ignores: Ignores = () => undefined;
  #settling: ReturnType<typeof setTimeout> | undefined;
  #running = Promise.resolve();
  #isWaiting = false;
  #isStopped = false;
  readonly #ended = Promise.withResolvers<void>();

  constructor(
    private readonly folder: string,
    private readonly onSave: () => Promise<void>,
  ) {
    // It can fail before anyone waits for it.
    this.#ended.promise.catch(() => undefined);
  }

  async start(): Promise<void> {
    // A folder can be created while its parent is not watched yet.
    while (await this.#watchFolders());
  }

  /** Resolves after `stop` and the last call. Rejects if a call does. */
  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  stop(error?: unknown): void {
    this.#isStopped = true;
    clearTimeout(this.#settling);
    for (const watcher of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
    if (error) this.#ended.reject(error);
    else void this.#running.then(() => this.#ended.resolve());
  }

  /** Watches folders that are new, and no longer those that are gone. True if some are new. */
  async #watchFolders(): Promise<boolean> {
    const present = new Set<string>();
    try {
      this.#ignores = await readIgnoreRules(this.folder);
      for await (const _ of walk(this.folder, this.#ignores, { onFolder: (folder) => present.add(folder) }));
    } catch {
      // The push that follows says what cannot be read. What was found until then is watched.
    }
    for (const [folder, watcher] of this.#watchers) {
      if (present.has(folder)) continue;
      watcher.close();
      this.#watchers.delete(folder);
    }
    const added = [...present].filter((folder) => !this.#watchers.has(folder));
    for (const folder of added) this.#watch(folder);
    return added.length > 0;
  }

  #watch(folder: string): void {
    try {
      const watcher = watch(folder, (_, name) => {
        if (name !== null && this.#isSent(folder, name)) this.#settle();
      });
      // The folder was deleted. Its parent reports that too.
      watcher.on('error', () => undefined);
      this.#watchers.set(folder, watcher);
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      if (code !== 'ENOENT') throw new CommandError(`Cannot watch ${folder}: ${message}`);
    }
  }

  #isSent(folder: string, name: string): boolean {
    const path = [...relative(this.folder, folder).split(sep), name].filter(Boolean).join('/');
    return path === '.quireignore' || !(this.#ignores(path, false) && this.#ignores(path, true));
  }

  #settle(): void {
    clearTimeout(this.#settling);
    this.#settling = setTimeout(() => {
      if (this.#isWaiting) return;
      this.#isWaiting = true;
      this.#running = this.#running.then(() => this.#call()).catch((error: unknown) => this.stop(error));
    }, SETTLE_MS);
  }

  async #call(): Promise<void> {
    // Before the push reads the folder: what is saved in a new folder after this is reported.
    await this.start();
    this.#isWaiting = false;
    if (!this.#isStopped) await this.onSave();
  }
}
