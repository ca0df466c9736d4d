import { readdirSync, readFileSync } from 'node:fs';

/** What the kernel says about processes. */

/** The same on every Linux that we run on. */
const TICKS_PER_SECOND = 100;

/** The memory that a process holds now, in megabytes. */
export function residentMegabytes(pid: number): number {
  const kilobytes = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kilobytes) / 1024;
}

/** The processes below this one, at any depth, by pid. */
export function descendants(pid: number): number[] {
  const children = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((candidate) => parentOf(candidate) === pid);
  return [...children, ...children.flatMap(descendants)];
}

/** The processor time of a process so far; none when it has ended. */
export function cpuSeconds(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
  } catch {
    return 0;
  }
}

export function isRunning(pid: number): boolean {
  return parentOf(pid) !== undefined;
}

/** Whether a signal has stopped all threads of a process, or it has ended. */
export function isStopped(pid: number): boolean {
  try {
    const threads = readdirSync(`/proc/${pid}/task`);
    return threads.every((thread) =>
      /\) [TZX] [^)]*$/.test(readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8')),
    );
  } catch {
    return !isRunning(pid);
  }
}

function parentOf(pid: number): number | undefined {
  try {
    // The name stands in brackets and may hold anything, brackets too.
    const [state, parent] = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return state === 'Z' ? undefined : Number(parent);
  } catch {
    return undefined;
  }
}
