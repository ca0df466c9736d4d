import { chmod, mkdtemp, rm, statfs } from 'node:fs/promises';
import { freemem, tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from './root.ts';

/** Runs commands, and ends them when this process ends, whatever the reason. */

/** Ends only commands that hang: a busy machine takes several times as long, and a soak takes hours. */
const TIMEOUT_MS = 12 * 60 * 60_000;
const KILL_AFTER_MS = 5_000;

/** A folder in memory. Databases and browsers write so much that a disk would take a sixth of the CPU time. */
const IN_MEMORY = '/dev/shm';
/** What the tests write at the same time, several times over. */
const ENOUGH_BYTES = 4 * 1024 ** 3;

/** The temporary folder of this run, and of everything that it starts. Its path is short, because those of sockets must be. */
export const folder = await mkdtemp(join((await hasMemory()) ? IN_MEMORY : tmpdir(), 'quire-'));
// PostgreSQL and sandboxes run as other users.
await chmod(folder, 0o755);
process.env.TMPDIR = folder;

async function hasMemory(): Promise<boolean> {
  const { bavail, bsize } = await statfs(IN_MEMORY).catch(() => ({ bavail: 0, bsize: 0 }));
  return Math.min(bavail * bsize, freemem() / 2) >= ENOUGH_BYTES;
}

/** How to end each running command. All of them must end before this process does. */
const running = new Set<() => Promise<unknown>>();
let isEnding = false;

export const isStopping = () => isEnding;

/** Runs a command and passes on its output line by line. Returns what went wrong, if anything. */
export async function execute(
  command: string[],
  { env, onOutput }: { env?: Record<string, string>; onOutput(line: string): void },
): Promise<string | undefined> {
  if (isEnding) return 'was interrupted';
  const child = Bun.spawn([...endWithUs(), ...command], {
    cwd: root,
    env: { ...cleanEnvironment(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  // Interrupt it first, so that it can close the browsers and servers that it started in their own process groups.
  const stop = async () => {
    signalGroup(child.pid, 'SIGTERM');
    await Promise.race([child.exited, Bun.sleep(KILL_AFTER_MS)]);
    signalGroup(child.pid, 'SIGKILL');
    await child.exited;
  };
  running.add(stop);
  let timedOut = false;
  const timer = setTimeout(() => {
    timedOut = true;
    void stop();
  }, TIMEOUT_MS);
  const reading = [child.stdout, child.stderr].map((stream) => readLines(stream, onOutput));
  const exitCode = await child.exited;
  clearTimeout(timer);
  running.delete(stop);
  // A child that crashed may have left processes in its group.
  signalGroup(child.pid, 'SIGKILL');
  await Promise.all(reading);
  if (timedOut) return `took longer than ${TIMEOUT_MS / 3_600_000} hours and was stopped`;
  if (child.signalCode) return `was ended by ${child.signalCode}`;
  return exitCode === 0 ? undefined : `ended with code ${exitCode}`;
}

async function readLines(stream: ReadableStream<Uint8Array>, onLine: (line: string) => void): Promise<void> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const bytes of stream) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) onLine(line);
  }
  if (rest) onLine(rest);
}

/** Runs work and calls `stop` afterwards, even if this process is interrupted. */
export async function stopAfter<T>(stop: () => Promise<unknown>, act: () => Promise<T>): Promise<T> {
  running.add(stop);
  try {
    return await act();
  } finally {
    running.delete(stop);
    await stop();
  }
}

function signalGroup(id: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-id, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Ends the child when we are killed. Not bun's --no-orphans: what the tests start would inherit that. */
function endWithUs(): string[] {
  return Bun.which('setpriv') ? ['setpriv', '--pdeathsig=TERM', '--'] : [];
}

/** The environment without the settings of a Quire that the developer may be running. */
function cleanEnvironment(): Record<string, string | undefined> {
  const isSetting = /^(QUIRE_(?!TEST_)|S3_|(PORT|DATABASE_URL|REDIS_URL)$)/;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !isSetting.test(name)));
}

/** On Ctrl-C, or if npm, our parent, is killed: ends all commands, cleans up, then exits. */
export function stopOnSignals(): void {
  const stop = async (exitCode: number) => {
    if (isEnding) return;
    isEnding = true;
    await Promise.allSettled([...running].map((end) => end()));
    await rm(folder, { recursive: true, force: true });
    process.exit(exitCode);
  };
  process.on('SIGINT', () => void stop(130));
  process.on('SIGTERM', () => void stop(143));
  process.on('SIGHUP', () => void stop(129));
  const parent = process.ppid;
  setInterval(() => process.ppid !== parent && void stop(1), 500).unref();
}
