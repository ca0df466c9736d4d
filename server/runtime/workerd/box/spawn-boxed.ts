import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { FILTER_FD, type Launch } from './sandbox.ts';

/** Starts a process in its box, with the descriptors that bwrap reads. */
export function spawnBoxed(
  launch: Launch,
  options: SpawnOptions & { stdio: Array<string | number> },
): ChildProcess {
  const [program = '', ...args] = launch.command;
  const stdio: Array<string | number> = [...options.stdio];
  // Opened for each process, because shared descriptors would also share the read position.
  const filter = launch.filter === undefined ? undefined : openSync(launch.filter, 'r');
  try {
    if (filter !== undefined) {
      while (stdio.length < FILTER_FD) stdio.push('ignore');
      stdio[FILTER_FD] = filter;
    }
    return spawn(program, args, {
      ...options,
      ...(launch.cwd !== undefined && { cwd: launch.cwd }),
      stdio: stdio as SpawnOptions['stdio'],
    } as SpawnOptions);
  } finally {
    if (filter !== undefined) closeSync(filter);
  }
}
