import { mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A control group (cgroup v2) with one cell in it. */
export interface CellGroup {
  /** Whether the kernel has ended the cell for its memory. */
  wasKilled(): boolean;
  /** To be called when the cell has ended. */
  remove(): void;
}

/** Control groups for cells, where this server has been given a part of the tree, as by systemd's `Delegate=`. */
export interface CellGroups {
  /** Puts a process into a group of its own. What it has already stays where it was charged: only more counts. */
  add(name: string, pid: number, maxBytes: number): CellGroup | undefined;
}

/** Below the server's own group; a group that has others below it must have no processes itself. */
const SERVER = 'quire-server';
const CELL = 'quire-cell-';

/** Undefined where groups cannot be made, which is most often so: without systemd, in containers, in a login shell. */
export function openCellGroups(root = '/sys/fs/cgroup', ownPath = pathOfOwnGroup()): CellGroups | undefined {
  if (ownPath === undefined) return undefined;
  const own = join(root, ownPath);
  // A server that was started again by a program which still lives finds itself below already.
  const folder = own.endsWith(`/${SERVER}`) ? join(own, '..') : own;
  try {
    if (!controllers(folder, 'cgroup.controllers').includes('memory')) return undefined;
    if (folder === own) {
      const members = readFileSync(join(folder, 'cgroup.procs'), 'utf8').trim().split('\n');
      // Somebody else's processes are not ours to move.
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

function addGroup(folder: string, pid: number, maxBytes: number): CellGroup | undefined {
  try {
    mkdirSync(folder);
    writeFileSync(join(folder, 'memory.max'), String(maxBytes));
    // Swapping would only make it slow, and others with it. There is no such file in a kernel without swap.
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
    // There are processes in it still; the next server removes it.
  }
}
