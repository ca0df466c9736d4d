import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endWithParent } from './engines/engine.ts';
import { placeDatabase } from './engines/sqlite.ts';
import { environment } from './environment.ts';
import { takePorts } from './ports.ts';

const ROOT = join(import.meta.dir, '../..');

/** A real server in its own process, as an operator runs it. */
export interface TestServer {
  baseUrl: string;
  port: number;
  dataFolder: string;
  pid: number;
  /** The exit code, when it has ended. */
  exited: Promise<number>;
  /** What it has printed so far, banner and logs. */
  output(): string;
  /** Asks it to stop. Resolves to the exit code. */
  stop(): Promise<number>;
  /** Kills it. */
  kill(): Promise<void>;
}

export interface ServerOptions {
  settings?: Record<string, string>;
  /** An existing folder, to start again with the same data. Otherwise a new one that `stop` removes. */
  dataFolder?: string;
  port?: number;
  /** A command prefix that runs the server elsewhere, and its address there. */
  within?: string[];
  /** A compiled program, instead of the source, and the folder in which it is started. */
  program?: { path: string; cwd: string };
  /** A module that the server's process loads before the server. */
  preload?: string;
  /** How long open requests can take when it stops, if not as long as in production. */
  finishMs?: number;
  host?: string;
}

/** A node waits 12 seconds for the lease of its address; a busy machine adds to that. */
const START_MS = 90_000;
const WAIT_MS = 100_000;
const LOOK_AGAIN_MS = 20;

export async function startServer(options: ServerOptions = {}): Promise<TestServer> {
  const port = options.port ?? (await freePort());
  const dataFolder = options.dataFolder ?? mkdtempSync(join(tmpdir(), 'quire-server-'));
  const isOnSqlite = !options.settings?.DATABASE_URL;
  if (!options.dataFolder && !options.program && isOnSqlite) await placeDatabase(dataFolder);
  const preloads = [
    join(import.meta.dir, 'quick-passwords.ts'),
    ...(options.preload ? [options.preload] : []),
  ];
  const preload = preloads.flatMap((path) => ['--preload', path]);
  const command =
    options.finishMs === undefined
      ? [join(ROOT, 'bin/launch.ts'), 'serve']
      : [join(import.meta.dir, 'serve.ts'), String(options.finishMs)];
  const program = options.program
    ? [options.program.path, 'serve']
    : [process.execPath, ...preload, ...command];
  const child = Bun.spawn([...endWithParent(), ...(options.within ?? []), ...program], {
    cwd: options.program?.cwd ?? ROOT,
    env: {
      ...environment,
      PORT: String(port),
      QUIRE_DATA: dataFolder,
      QUIRE_REGISTRATIONS_PER_HOUR: '0',
      QUIRE_DEPLOYS_PER_HOUR: '0',
      // A browser for every page that a test publishes.
      QUIRE_PAGE_PICTURES: 'off',
      ...options.settings,
    },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  });
  let output = '';
  const collect = async (stream: ReadableStream<Uint8Array>) => {
    for await (const chunk of stream) output += Buffer.from(chunk).toString();
  };
  void collect(child.stdout);
  void collect(child.stderr);
  const removeFolder = () => {
    if (!options.dataFolder) rmSync(dataFolder, { recursive: true, force: true });
  };

  const baseUrl = options.settings?.QUIRE_BASE_URL ?? `http://localhost:${port}`;
  await waitUntil(async () => {
    if (child.exitCode !== null) throw new Error(`the server exited with ${child.exitCode}:\n${output}`);
    return fetch(`http://${options.host ?? '127.0.0.1'}:${port}/healthz`).then(
      (response) => response.ok,
      () => false,
    );
  }, START_MS);
  return {
    baseUrl,
    port,
    dataFolder,
    pid: child.pid,
    exited: child.exited,
    output: () => output,
    async stop() {
      child.kill('SIGTERM');
      const code = await child.exited;
      removeFolder();
      return code;
    },
    async kill() {
      child.kill('SIGKILL');
      await child.exited;
      removeFolder();
    },
  };
}

/** Waits until something is true. The timeout only ends a test that hangs, so it is long. */
export async function waitUntil(isTrue: () => Promise<boolean>, timeoutMs = WAIT_MS): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  while (!(await isTrue())) {
    if (Date.now() > deadline) throw new Error('timed out waiting');
    await Bun.sleep(LOOK_AGAIN_MS);
  }
}

/**
 * Waits until a server has printed something and returns it, or what its first group matched.
 * A response can arrive before the log lines that were written ahead of it: they come through another pipe.
 */
export async function untilPrinted(server: { output(): string }, text: string | RegExp): Promise<string> {
  let found: string | undefined;
  await waitUntil(async () => {
    const printed = server.output();
    if (typeof text === 'string') found = printed.includes(text) ? text : undefined;
    else found = text.exec(printed)?.findLast((part) => part !== undefined);
    return found !== undefined;
  }).catch((error: Error) => {
    throw new Error(`${error.message} for ${text} in:\n${server.output()}`);
  });
  return found ?? '';
}

export const freePort = async (): Promise<number> => takePorts(1);
