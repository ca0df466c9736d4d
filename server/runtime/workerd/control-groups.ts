import { mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A control group (cgroup v2) that contains one cell or browser. */
export interface ControlGroup {
  /** True if the kernel killed a process in it because they used too much memory. */
  wasKilled(): boolean;
  /** Call this when its processes have ended. */
  remove(): void;
}

/** Control groups for processes with a memory limit. The server needs its own part of the tree, for example from systemd's `Delegate=`. */
export interface ControlGroups {
  /** Moves a process to its own group. Memory that it already has is not charged to the group. */
  add(name: string, pid: number, maxBytes: number): ControlGroup | undefined;
}

/** A child of the server's own group. The server moves there because a group with children must have no processes. */
const SERVER = 'quire-server';
const CELL = 'quire-cell-';

/** Opens control groups. Undefined without them: usual in containers, in a shell, and without systemd. */
export function openControlGroups(
  root = '/sys/fs/cgroup',
  ownPath = pathOfOwnGroup(),
): ControlGroups | undefined {
  if (ownPath === undefined) return undefined;
  const own = join(root, ownPath);
  // If the parent process restarts the server, the new server is already in the child group.
  const folder = own.endsWith(`/${SERVER}`) ? join(own, '..') : own;
  try {
    if (!controllers(folder, 'cgroup.controllers').includes('memory')) return undefined;
    if (folder === own) {
      const members = readFileSync(join(folder, 'cgroup.procs'), 'utf8').trim().split('\n');
      // The group contains processes of other programs. We must not move them.
      if (members.some((pid) => pid !== String(process.pid))) return undefined;
      mkdirSync(join(folder, SERVER), { recursive: true });
      writeFileSync(join(folder, SERVER, 'cgroup.procs'), String(process.pid));
    }
    writeFileSync(join(folder, 'cgroup.subtree_control'), '+memory');
    for (const left of readdirSync(folder).filter((name) => name.startsWith(CELL)))
      tryRemove(join(folder, left));
  } catch {
    return undefined;
  }
  return {
    add: (name, pid, maxBytes) => addGroup(join(folder, `${CELL}${process.pid}-${name}`), pid, maxBytes),
  };
}

function addGroup(folder: string, pid: number, maxBytes: number): ControlGroup | undefined {
  try {
    mkdirSync(folder);
    writeFileSync(join(folder, 'memory.max'), String(maxBytes));
    // Swapping would slow down this cell and all others. A kernel without swap does not have this file.
    writeFileSync(join(folder, 'memory.swap.max'), '0', { flag: 'r+' });
  } catch (error) {
    if ((error as { code?: string }).code !== 'ENOENT') {
      tryRemove(folder);
      return undefined;
    }
  }
  try {
    writeFileSync(join(folder, 'cgroup.procs'), String(pid));
  } catch {
    tryRemove(folder);
    return undefined;
  }
  return {
    wasKilled() {
      try {
        return /^oom_kill [1-9]/m.test(readFileSync(join(folder, 'memory.events'), 'utf8'));
      } catch {
        return false;
      }
    },
    remove: () => tryRemove(folder),
  };
}

function controllers(folder: string, file: string): string[] {
  return readFileSync(join(folder, file), 'utf8').trim().split(' ');
}

function pathOfOwnGroup(): string | undefined {
  try {
    return /^0::(.+)$/m.exec(readFileSync('/proc/self/cgroup', 'utf8'))?.[1];
  } catch {
    return undefined;
  }
}

function tryRemove(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // The group still contains processes. The next server removes it.
  }
}
