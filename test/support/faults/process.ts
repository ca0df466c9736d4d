import { readdirSync, readFileSync } from 'node:fs';

/** What the kernel knows about processes. */

/** The same on every Linux that we run on. */
const TICKS_PER_SECOND = 100;

/** The memory of a process in megabytes. */
export function residentMegabytes(pid: number): number {
  const kilobytes = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kilobytes) / 1024;
}

/** The memory of a process that it shares with no other, in megabytes. */
export function privateMegabytes(pid: number): number {
  const kilobytes = /^RssAnon:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kilobytes) / 1024;
}

/** The descendants of this process, by pid. */
export function descendants(pid: number): number[] {
  const pids = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
  const byParent = Map.groupBy(pids, readParent);
  const below = (parent: number): number[] =>
    (byParent.get(parent) ?? []).flatMap((child) => [child, ...below(child)]);
  return below(pid);
}

/** The CPU time of a process so far, or 0 if it has ended. */
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
  return readParent(pid) !== undefined;
}

/** Returns a function that lists which of these processes still run, even if their ids are given to others meanwhile. */
export function watchSurvivors(pids: number[]): () => number[] {
  const before = new Map(pids.map((pid) => [pid, readStart(pid)]));
  return () => pids.filter((pid) => before.get(pid) !== undefined && readStart(pid) === before.get(pid));
}

/** When a process started, in ticks since the machine did. */
function readStart(pid: number): string | undefined {
  try {
    const [, fields = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(/\) (?=[^)]*$)/);
    return fields.split(' ')[19];
  } catch {
    return undefined;
  }
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

function readParent(pid: number): number | undefined {
  try {
    // The name is in brackets and can contain anything, even brackets.
    const [state, parent] = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return state === 'Z' ? undefined : Number(parent);
  } catch {
    return undefined;
  }
}
