import { readFileSync } from 'node:fs';

/** Puts this process on one core; what it starts from now on stays there too. */
export async function pinToCore(core: number): Promise<void> {
  await Bun.$`taskset --all-tasks --cpu-list --pid ${core} ${process.pid}`.quiet();
}

/** The processor time that a process has used so far, with all its threads. */
export function cpuSeconds(pid: number): number {
  // The name, in parentheses, may have spaces in it; fields 14 and 15 are user and system time in ticks.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

/** The same on every Linux that Bun runs on: https://man7.org/linux/man-pages/man7/time.7.html */
const TICKS_PER_SECOND = 100;

/** What a process holds in memory, and how much of it is its own rather than a file's that others may share. */
export function residentMiB(pid: number): { all: number; own: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const field = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) / 1024;
  return { all: field('VmRSS'), own: field('RssAnon') };
}

/** The first child of a process. */
export function childOf(pid: number): number {
  const [child] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ');
  if (!child) throw new Error(`process ${pid} has no child`);
  return Number(child);
}
