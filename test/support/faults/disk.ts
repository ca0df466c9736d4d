import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { environment } from '../environment.ts';
import { freePort, waitUntil } from '../server.ts';

/**
 * A small disk that can be filled, and a server on it. The disk is mounted in its own mount namespace, so the kernel
 * removes it with the last process there, however this one ends. Creating one needs no privileges.
 */

const ROOT = join(import.meta.dir, '../../..');
const IS_ROOT = process.getuid?.() === 0;

export interface SmallDisk {
  folder: string;
  /** Uses up every free byte. */
  fill(): Promise<void>;
  /** Frees what `fill` used. */
  free(): Promise<void>;
  /** A command prefix that runs a program where the disk is. */
  within: string[];
  remove(): Promise<void>;
}

export async function makeSmallDisk(megabytes: number): Promise<SmallDisk> {
  const folder = mkdtempSync(join(tmpdir(), 'quire-disk-'));
  const script = `mount -t tmpfs -o size=${megabytes}m quire "$1" && echo mounted && read -r _`;
  const keeper = Bun.spawn(
    [
      'unshare',
      ...(IS_ROOT ? [] : ['--user', '--map-root-user']),
      '--mount',
      'sh',
      '-c',
      script,
      'disk',
      folder,
    ],
    { stdin: 'pipe', stdout: 'pipe', stderr: 'inherit' },
  );
  const { value } = await keeper.stdout.getReader().read();
  if (Buffer.from(value ?? []).toString() !== 'mounted\n')
    throw new Error('the small disk could not be mounted');

  const user = IS_ROOT ? [] : ['--user', '--preserve-credentials'];
  const within = ['nsenter', '--target', String(keeper.pid), ...user, '--mount', '--'];
  const run = async (command: string) => {
    await Bun.spawn([...within, 'sh', '-c', command, 'disk', folder], {
      stdio: ['ignore', 'ignore', 'ignore'],
    }).exited;
  };
  return {
    folder,
    within,
    fill: () => run('cat /dev/zero >"$1/filler"'),
    free: () => run('rm "$1/filler"'),
    async remove() {
      keeper.stdin.end();
      await keeper.exited;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export interface DiskServer {
  port: number;
  pid: number;
  output(): string;
  stop(): Promise<number>;
  kill(): Promise<void>;
}

/** Starts a server with its data folder on the disk. */
export async function startServerOn(
  disk: SmallDisk,
  settings: Record<string, string> = {},
): Promise<DiskServer> {
  const port = await freePort();
  const child = Bun.spawn([...disk.within, process.execPath, join(ROOT, 'bin/launch.ts'), 'serve'], {
    cwd: ROOT,
    env: {
      ...environment,
      PORT: String(port),
      QUIRE_DATA: disk.folder,
      QUIRE_REGISTRATIONS_PER_HOUR: '0',
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const collect = async (stream: ReadableStream<Uint8Array>) => {
    for await (const chunk of stream) output += Buffer.from(chunk).toString();
  };
  void collect(child.stdout);
  void collect(child.stderr);
  await waitUntil(async () => {
    if (child.exitCode !== null) throw new Error(`the server exited with ${child.exitCode}:\n${output}`);
    return fetch(`http://127.0.0.1:${port}/healthz`).then(
      (response) => response.ok,
      () => false,
    );
  });
  return {
    port,
    pid: child.pid,
    output: () => output,
    stop() {
      child.kill('SIGTERM');
      return child.exited;
    },
    async kill() {
      child.kill('SIGKILL');
      await child.exited;
    },
  };
}
