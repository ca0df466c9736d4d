import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { BoxUser, Runtime, WorkerdProcess } from '../../workerd/index.ts';
import { bundleWorker, databaseHostConfig, startHelper } from '../../workerd/index.ts';
import { NAMESPACE, prepareFolder } from '../folder.ts';

/** Logs longer than this, left by a process that was killed, are put into their databases before the next one starts. */
const LONG_LOG_BYTES = 1024 * 1024;
/** Larger than a log gets by itself before it is put into its database. */
const HUGE_LOG_BYTES = 16 * 1024 * 1024;

const WORKER = join(import.meta.dir, '../../../../workers/database/local.ts');

/** Starts a process that holds the databases in a folder. */
export async function startDatabaseHost(options: {
  runtime: Runtime;
  /** Names its folders at runtime. */
  name: string;
  user: BoxUser | undefined;
  dataFolder: string;
  key: string;
  limitBytes: number;
  /** What SQLite may write to temporary files; undefined for as much as there is room in the folder. */
  tempBytes: number | undefined;
  onLine(line: string): void;
}): Promise<{ process: WorkerdProcess; socket: string }> {
  const { dataFolder, user } = options;
  prepareFolder(dataFolder, user);
  if (diskUse(dataFolder).longestLog > LONG_LOG_BYTES) {
    await shrinkLogs(dataFolder);
    prepareFolder(dataFolder, user);
  }
  const { key, limitBytes } = options;
  const { sizes } = diskUse(dataFolder);
  return startHelper({
    runtime: options.runtime,
    kind: 'databases',
    name: options.name,
    user,
    config: ({ socket }) => databaseHostConfig({ socket, dataFolder: '/replaced', key, limitBytes, sizes }),
    modules: { 'database-host.js': await bundleWorker(WORKER) },
    flags: [],
    dataFolder,
    tempBytes: options.tempBytes,
    onLine: options.onLine,
  });
}

/** What the databases in a folder take up: each by its name there, all of them, all with their logs, and logs alone. */
export function diskUse(dataFolder: string) {
  const sizes = new Map<string, number>();
  let withLogs = 0;
  let longestLog = 0;
  let longLogs = 0;
  for (const file of list(join(dataFolder, NAMESPACE))) {
    const bytes = sizeOf(join(dataFolder, NAMESPACE, file));
    withLogs += bytes;
    const [, id, suffix] = /^([0-9a-f]{64})\.sqlite(-wal)?$/.exec(file) ?? [];
    if (suffix) {
      longestLog = Math.max(longestLog, bytes);
      if (bytes > HUGE_LOG_BYTES) longLogs += bytes;
    } else if (id) sizes.set(id, bytes);
  }
  const bytes = [...sizes.values()].reduce((sum, size) => sum + size, 0);
  return { sizes, bytes, withLogs, longestLog, longLogs };
}

function list(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    // No database has been opened yet.
    return [];
  }
}

function sizeOf(file: string): number {
  return lstatSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

/** Puts logs into their databases, in a process of its own: it takes its time, and what it reads was written by owners. */
export async function shrinkLogs(dataFolder: string): Promise<void> {
  const script = join(import.meta.dir, 'shrink-logs.ts');
  const child = Bun.spawn([process.execPath, script, join(dataFolder, NAMESPACE)], {
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'ignore',
    timeout: 60_000,
  });
  await child.exited;
}
