import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { helperCommand } from '../../lib/modules.ts';
import { NAMESPACE } from './folder.ts';

/** Larger than a log grows by itself before SQLite moves it into its database. */
const HUGE_LOG_BYTES = 16 * 1024 * 1024;

/** What the databases in a folder use on disk. */
interface DiskUse {
  /** Sizes by the name of the file, without logs. */
  sizes: Map<string, number>;
  bytes: number;
  withLogs: number;
  longestLog: number;
  /** The bytes of logs that are huge: a statement that was undone has filled its log first. */
  hugeLogs: number;
}

export function diskUse(dataFolder: string): DiskUse {
  const use: DiskUse = { sizes: new Map(), bytes: 0, withLogs: 0, longestLog: 0, hugeLogs: 0 };
  for (const file of list(join(dataFolder, NAMESPACE))) {
    const bytes = readSize(join(dataFolder, NAMESPACE, file));
    use.withLogs += bytes;
    const [, id, suffix] = /^([0-9a-f]{64})\.sqlite(-wal)?$/.exec(file) ?? [];
    if (suffix) {
      use.longestLog = Math.max(use.longestLog, bytes);
      if (bytes > HUGE_LOG_BYTES) use.hugeLogs += bytes;
    } else if (id) {
      use.sizes.set(id, bytes);
      use.bytes += bytes;
    }
  }
  return use;
}

function list(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    // No database has been opened yet.
    return [];
  }
}

function readSize(file: string): number {
  return lstatSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

/** Moves logs into their databases, in another process: it takes time, and owners wrote what it reads. */
export async function shrinkLogs(dataFolder: string): Promise<void> {
  const command = helperCommand(new URL('./shrink-logs.process.ts', import.meta.url));
  const child = Bun.spawn([...command, join(dataFolder, NAMESPACE)], {
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'ignore',
    timeout: 60_000,
  });
  await child.exited;
}
