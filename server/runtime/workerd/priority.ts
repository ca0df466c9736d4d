import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';

/**
 * The `nice` values that decide how processes share the CPU when it is busy. The server has 0, because owner code must
 * not keep it from responding. Owners who use a lot of CPU time come after those who use little.
 */
export const PRIORITIES = { modest: 5, greedy: 19 } as const;

/**
 * Sets the priority of all threads of a process and of its session: with autogroups, the kernel shares the CPU between
 * sessions first. If that is not allowed, nothing changes. Only root may raise a priority again.
 */
export function setProcessPriority(pid: number, nice: number): void {
  attempt(() => {
    for (const thread of readdirSync(`/proc/${pid}/task`)) attempt(() => setPriority(Number(thread), nice));
  });
  attempt(() => {
    // A box that is still starting is in the server's own session.
    if (readSession(pid) !== readSession('self')) writeFileSync(`/proc/${pid}/autogroup`, String(nice));
  });
}

/** The session of a process, for example `/autogroup-12 nice 0`, if the kernel has autogroups. */
function readSession(pid: number | 'self'): string | undefined {
  return readFileSync(`/proc/${pid}/autogroup`, 'utf8').split(' ')[0];
}

function attempt(work: () => void): void {
  try {
    work();
  } catch {
    // The process has ended, or we lack the permission.
  }
}
