import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { loadModule } from '../../../lib/modules.ts';
import { randomSecret } from '../../../lib/secrets.ts';
import type { BoxUser, Runtime, WorkerdProcess } from '../../workerd/index.ts';
import { databaseHostConfig, startHelper } from '../../workerd/index.ts';
import { sendRequest } from '../address.ts';
import { diskUse, shrinkLogs } from '../disk-use.ts';
import { prepareFolder } from '../folder.ts';

/** A longer log, left by a process that was killed, is moved into its database before the next process starts. */
const LONG_LOG_BYTES = 1024 * 1024;

/** Starts a process for the databases in a folder. */
export async function startHostProcess(options: {
  runtime: Runtime;
  /** Names the folders of the process at run time. */
  name: string;
  user: BoxUser | undefined;
  dataFolder: string;
  key: string;
  limitBytes: number;
  /** What SQLite may write to temporary files; undefined for all the space in the folder. */
  tempBytes: number | undefined;
  /** The generations of databases that were restored, by name. */
  generations?: ReadonlyMap<string, number>;
  onLine(line: string): void;
}): Promise<{ process: WorkerdProcess; socket: string }> {
  const { dataFolder, user, key, limitBytes, generations = new Map() } = options;
  prepareFolder(dataFolder, user);
  if (diskUse(dataFolder).longestLog > LONG_LOG_BYTES) {
    await shrinkLogs(dataFolder);
    prepareFolder(dataFolder, user);
  }
  const { sizes } = diskUse(dataFolder);
  return startHelper({
    runtime: options.runtime,
    kind: 'databases',
    name: options.name,
    user,
    config: ({ socket }) =>
      databaseHostConfig({ socket, dataFolder: '/replaced', key, limitBytes, sizes, generations }),
    modules: { 'database-host.js': await loadModule('workers/database/local.ts') },
    flags: [],
    dataFolder,
    tempBytes: options.tempBytes,
    onLine: options.onLine,
  });
}

/** A host for one task, on files that nobody else uses: an export, a copy, or files to read. */
export interface TaskHost {
  fetch(databaseId: number, path: string, init?: RequestInit): Promise<Response>;
  kill(): void;
  /** Kills the host, and resolves when it has ended. */
  stop(): Promise<void>;
}

export async function startTaskHost(options: {
  runtime: Runtime;
  name: string;
  dataFolder: string;
  limitBytes: number;
  tempBytes: number | undefined;
  onLine(line: string): void;
}): Promise<TaskHost> {
  const key = randomSecret();
  const user = options.runtime.sandbox.users?.next();
  const { process, socket } = await startHostProcess({ ...options, user, key });
  return {
    fetch: (databaseId, path, init) => sendRequest({ socket, key }, databaseId, path, init),
    kill: () => process.kill(),
    async stop() {
      process.kill();
      await process.exited;
      await rm(dirname(socket), { recursive: true, force: true });
    },
  };
}
