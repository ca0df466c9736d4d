import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';

/**
 * How processes share the processor when there is not enough for all, as `nice` counts it. The server is at 0: owner
 * code must not keep it from answering. Owners who use the processor a lot come after those who use it a little.
 */
export const PRIORITIES = { modest: 5, greedy: 19 } as const;

/**
 * Sets the priority of all threads of a process, and of its session: with autogroups, the kernel shares the processor
 * between sessions first. Where that is not allowed nothing changes; only root may raise a priority again.
 */
export function setPriorityOf(pid: number, nice: number): void {
  attempt(() => {
    for (const thread of readdirSync(`/proc/${pid}/task`)) attempt(() => setPriority(Number(thread), nice));
  });
  attempt(() => {
    // A box that is still being made is in our own session.
    if (sessionOf(pid) !== sessionOf('self')) writeFileSync(`/proc/${pid}/autogroup`, String(nice));
  });
}

/** Where the kernel has autogroups, `/autogroup-12 nice 0`. */
function sessionOf(pid: number | 'self'): string | undefined {
  return readFileSync(`/proc/${pid}/autogroup`, 'utf8').split(' ')[0];
}

function attempt(work: () => void): void {
  try {
    work();
  } catch {
    // It has ended, or we may not.
  }
}
