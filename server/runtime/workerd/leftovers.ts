import { spawn } from 'node:child_process';
import { basename, dirname } from 'node:path';
import type { Runtime } from './runtime.ts';

/** A process that briefly outlives the server, to kill the processes that a killed server leaves behind. */
interface LeftoverCleaner {
  stop(): Promise<void>;
}

/**
 * The cleaner's input closes when the server ends, whatever the reason. It then kills every process that
 * names the runtime folder or has it mounted. It checks several times, because a process may still be
 * starting.
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
 * Each child process asks the kernel to kill it when the server dies. But bwrap does so late in its start, and if the
 * server is killed before that, the process would stay forever.
 */
export function startLeftoverCleaner(runtime: Runtime): LeftoverCleaner {
  const child = spawn('sh', ['-c', SCRIPT], {
    stdio: ['pipe', 'ignore', 'ignore'],
    // The folder is not on the command line, because the cleaner would then find itself.
    env: {
      PATH: '/usr/bin:/bin',
      FOLDER: runtime.folder,
      MARK: `${basename(dirname(runtime.folder))}/${basename(runtime.folder)}/`,
    },
    // A signal to the server's process group must not end the cleaner.
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
