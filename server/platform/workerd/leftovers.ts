import { spawn } from 'node:child_process';
import { basename, dirname } from 'node:path';
import type { Runtime } from './runtime.ts';

/** A process that outlives the server for a moment and kills what a killed server leaves behind. */
interface LeftoverCleaner {
  stop(): Promise<void>;
}

/**
 * Its input ends when the server does, for whatever reason. It then kills every process that names the runtime folder
 * or has it mounted. It looks several times, because a process may be between two steps of its start.
 */
const SCRIPT = `
read -r _
for _ in 1 2 3 4 5 6 7 8 9 10; do
  for file in $(grep -alsF "$MARK" /proc/[0-9]*/cmdline /proc/[0-9]*/mountinfo); do
    file=\${file#/proc/}
    kill -9 "\${file%%/*}"
  done
  sleep 0.1
done
rm -rf "$FOLDER"
`;

/**
 * Each child process asks the kernel to kill it when the server dies, but not from its first moment: bwrap asks late in
 * its start, and a server killed before that would leave it behind forever.
 */
export function startLeftoverCleaner(runtime: Runtime): LeftoverCleaner {
  const child = spawn('sh', ['-c', SCRIPT], {
    stdio: ['pipe', 'ignore', 'ignore'],
    // Not on its command line, where it would find itself.
    env: {
      PATH: '/usr/bin:/bin',
      FOLDER: runtime.folder,
      MARK: `${basename(dirname(runtime.folder))}/${basename(runtime.folder)}/`,
    },
    // What ends the server's whole group must not end it.
    detached: true,
  });
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
  return {
    async stop() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
