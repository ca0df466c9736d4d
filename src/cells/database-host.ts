import { mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { databaseHostConfig } from './config-text.ts';
import { SERVE, startWorkerd, type WorkerdProcess } from './process.ts';
import type { Runtime } from './runtime.ts';
import { attached } from './sandbox.ts';
import { openSocket } from './socket.ts';

/** Where workerd keeps the databases of a host, below its folder. */
export const NAMESPACE = 'quire-database';

/** Logs longer than this, left by a process that was killed, are put into their databases before the next one starts. */
const LONG_LOG_BYTES = 1024 * 1024;
/** Larger than a log gets by itself before it is put into its database. */
const HUGE_LOG_BYTES = 16 * 1024 * 1024;

/** Starts a process that holds the databases in a folder. */
export async function startDatabaseHost(options: {
  runtime: Runtime;
  /** Names its socket folder and configuration. */
  name: string;
  dataFolder: string;
  key: string;
  limitBytes: number;
  onLine(line: string): void;
}): Promise<{ process: WorkerdProcess; socket: string }> {
  const { runtime, name, dataFolder } = options;
  mkdirSync(dataFolder, { recursive: true, mode: 0o700 });
  if (diskUse(dataFolder).longestLog > LONG_LOG_BYTES) await shrinkLogs(dataFolder);
  const socket = join(runtime.makeFolder(name), 'http');
  const configFile = join(runtime.folder, `${name}.capnp`);
  const config = databaseHostConfig({
    socket,
    // A config may hold only plain characters, and the operator's folder may have others: it is passed by argument.
    dataFolder: '/replaced',
    key: options.key,
    limitBytes: options.limitBytes,
    sizes: diskUse(dataFolder).sizes,
  });
  runtime.writeFile(configFile, config);
  const process = await openSocket(socket, () =>
    startWorkerd({
      command: attached([runtime.binary, ...SERVE, `--directory-path=disk=${dataFolder}`, configFile]),
      sockets: 1,
      hasInfoFd: false,
      deadlineMs: 10_000,
      onLine: options.onLine,
    }),
  );
  return { process, socket };
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
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
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
