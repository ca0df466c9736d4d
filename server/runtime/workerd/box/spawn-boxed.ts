import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { readDescriptor } from '../output.ts';
import { FILTER_FD, INFO_FD, type Launch } from './sandbox.ts';

/** Starts a process in its box, with the descriptors that bwrap writes and reads. */
export function spawnBoxed(
  launch: Launch,
  options: SpawnOptions & { stdio: Array<string | number> },
): ChildProcess {
  const [program = '', ...args] = launch.command;
  const stdio: Array<string | number> = [...options.stdio];
  while (stdio.length <= FILTER_FD) stdio.push('ignore');
  if (launch.hasInfoFd) stdio[INFO_FD] = 'pipe';
  // Opened for each process, because shared descriptors would also share the read position.
  const filter = launch.filter === undefined ? undefined : openSync(launch.filter, 'r');
  try {
    if (filter !== undefined) stdio[FILTER_FD] = filter;
    const child = spawn(program, args, {
      ...options,
      ...(launch.cwd !== undefined && { cwd: launch.cwd }),
      stdio: stdio as SpawnOptions['stdio'],
      // A process group of its own, so that everything in it can be killed at once.
      detached: true,
    } as SpawnOptions);
    killRestAfter(child, args.at(-1) ?? '');
    return child;
  } finally {
    if (filter !== undefined) closeSync(filter);
  }
}

/** The id of the first process inside, in what bwrap reports. */
export const parseInnerPid = (info: string) => Number(/"child-pid":\s*(\d+)/.exec(info)?.[1] ?? 0);

/**
 * bwrap asks the kernel late in its start to kill what it starts. If bwrap is killed before that, the rest would stay
 * forever, with the files and pipes that it has open. Until it leaves the process group, it is found by that, and then
 * by the id that bwrap has reported.
 */
function killRestAfter(child: ChildProcess, lastArgument: string): void {
  let innerPid = 0;
  const killInner = () => {
    if (innerPid && isBoxed(innerPid, lastArgument)) trySignal(innerPid);
  };
  readDescriptor(child, INFO_FD, (text) => {
    innerPid = parseInnerPid(text);
    if (child.signalCode !== null) killInner();
  });
  child.once('exit', (_, signal) => {
    if (signal === null || child.pid === undefined) return;
    trySignal(-child.pid);
    killInner();
  });
}

/**
 * Whether a process is the one in the box. Both bwrap and the program have the same last argument. While one becomes the
 * other, there are no arguments.
 */
function isBoxed(pid: number, lastArgument: string): boolean {
  try {
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
    return command === '' || command.endsWith(`${lastArgument}\0`);
  } catch {
    return false;
  }
}

function trySignal(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // There is no such process any more.
  }
}
