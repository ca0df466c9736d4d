import { stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';

/** The state of the process at one time. */
export interface Sample {
  at: number;
  memoryBytes: number;
  /** Percent of one core. */
  cpuPercent: number;
  cells: number;
}

/** What administrators see about the machine and the process. */
export interface Vitals {
  samples(): Sample[];
  uptimeSeconds(): number;
  /** The space on the data folder's disk, and the size of the database. */
  disk(): Promise<{ freeBytes: number; totalBytes: number; databaseBytes: number | null }>;
  stop(): void;
}

const EVERY_MS = 15_000;
/** Samples in one hour. */
const KEPT = 240;

/** Samples the process at intervals, and keeps the last hour. */
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
      const readSize = (name: string) =>
        stat(join(dataFolder, name)).then(
          ({ size }) => size,
          () => undefined,
        );
      // The newest writes are in the WAL beside the database, which can be larger than the database itself.
      const [database, log = 0] = await Promise.all([readSize('quire.db'), readSize('quire.db-wal')]);
      return {
        freeBytes: bavail * bsize,
        totalBytes: blocks * bsize,
        databaseBytes: database === undefined ? null : database + log,
      };
    },
    stop: () => clearInterval(timer),
  };
}
