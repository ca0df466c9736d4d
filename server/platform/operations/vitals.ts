import { stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';

/** How the process did, moment by moment. */
export interface Sample {
  at: number;
  memoryBytes: number;
  /** Of one core. */
  cpuPercent: number;
  cells: number;
}

/** What administrators see of the machine and the process. */
export interface Vitals {
  samples(): Sample[];
  uptimeSeconds(): number;
  /** What the data folder's disk holds, and the database in it. */
  disk(): Promise<{ freeBytes: number; totalBytes: number; databaseBytes: number | null }>;
  stop(): void;
}

const EVERY_MS = 15_000;
/** One hour. */
const KEPT = 240;

/** Looks at the process now and then, and remembers the last hour. */
export function startVitals(options: { dataFolder: string; cells: () => number; now: () => number }): Vitals {
  const { dataFolder, cells, now } = options;
  const startedAt = now();
  const samples: Sample[] = [];
  let last = { at: startedAt, cpu: process.cpuUsage() };

  function look(): void {
    const at = now();
    const cpu = process.cpuUsage();
    const usedMs = (cpu.user + cpu.system - last.cpu.user - last.cpu.system) / 1000;
    samples.push({
      at,
      memoryBytes: process.memoryUsage.rss(),
      cpuPercent: Math.round((100 * usedMs) / Math.max(1, at - last.at)),
      cells: cells(),
    });
    if (samples.length > KEPT) samples.shift();
    last = { at, cpu };
  }

  look();
  const timer = setInterval(look, EVERY_MS);
  timer.unref();

  return {
    samples: () => samples,
    uptimeSeconds: () => Math.round((now() - startedAt) / 1000),
    async disk() {
      const { bavail, blocks, bsize } = await statfs(dataFolder);
      const sizeOf = (name: string) =>
        stat(join(dataFolder, name)).then(
          ({ size }) => size,
          () => undefined,
        );
      // What was written last is in the log beside the database, often most of it.
      const [database, log = 0] = await Promise.all([sizeOf('quire.db'), sizeOf('quire.db-wal')]);
      return {
        freeBytes: bavail * bsize,
        totalBytes: blocks * bsize,
        databaseBytes: database === undefined ? null : database + log,
      };
    },
    stop: () => clearInterval(timer),
  };
}
