import { readFileSync } from 'node:fs';

/**
 * Limits the data address space of a running process. Returns false if that is not allowed; then only `MemoryWatch`
 * limits the memory. A server that is root in a container may lack the capability. The process's own user needs none.
 */
export async function limitData(pid: number, bytes: number): Promise<boolean> {
  const limit = ['prlimit', `--pid=${pid}`, `--data=${bytes}`];
  if (await succeeds(limit)) return true;
  const user = process.getuid?.() === 0 ? readUser(pid) : undefined;
  if (user === undefined) return false;
  return succeeds(['setpriv', `--reuid=${user}`, '--clear-groups', ...limit]);
}

function readUser(pid: number): string | undefined {
  try {
    return /^Uid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  } catch {
    return undefined;
  }
}

async function succeeds(command: string[]): Promise<boolean> {
  try {
    const child = Bun.spawn(command, { stdin: 'ignore', stdout: 'ignore', stderr: 'ignore', timeout: 5_000 });
    return (await child.exited) === 0;
  } catch {
    return false;
  }
}
