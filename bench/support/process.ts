import { readFileSync } from 'node:fs';

/** Pins processes, with all their threads and what they start from now on, to these cores. */
export async function pinToCores(pids: number[], cores: string): Promise<void> {
  for (const pid of pids) await Bun.$`taskset --all-tasks --cpu-list --pid ${cores} ${pid}`.quiet();
}

/**
 * Returns a function that returns the CPU time that processes have used since now. Those that have ended are not
 * counted.
 */
export function startCpuMeter(pids: number[]): () => number {
  const before = pids.map((pid) => [pid, readTicks(pid)] as const);
  return () =>
    before.reduce((sum, [pid, ticks = 0]) => sum + ((readTicks(pid) ?? ticks) - ticks), 0) / TICKS_PER_SECOND;
}

/** The name, in parentheses, may have spaces in it; fields 14 and 15 are user and system time in ticks. */
function readTicks(pid: number): number | undefined {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return Number(fields[11]) + Number(fields[12]);
  } catch {
    return undefined;
  }
}

/** The same on every Linux that Bun runs on: https://man7.org/linux/man-pages/man7/time.7.html */
const TICKS_PER_SECOND = 100;

/** The resident memory of a process, and how much of it is its own, not shared files. */
export function residentMiB(pid: number): { all: number; own: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const field = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) / 1024;
  return { all: field('VmRSS'), own: field('RssAnon') };
}

/** The first child of a process. */
export function findChild(pid: number): number {
  const [child] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ');
  if (!child) throw new Error(`process ${pid} has no child`);
  return Number(child);
}
