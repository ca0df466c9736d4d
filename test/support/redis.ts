import { mkdtemp, rm } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, waitUntil } from './server.ts';

/** A real Redis on loopback that keeps nothing, in a temporary folder. */
export interface TestRedis {
  url: string;
  port: number;
  /** The process that runs now. */
  readonly pid: number;
  /** Makes it hang: connections stay, and nothing is answered. */
  pause(): void;
  /** Lets it go on. */
  resume(): void;
  /** Ends it without warning, as a crash would. */
  kill(): Promise<void>;
  /** Starts it again on the same port after `kill`, with nothing in it. */
  restart(): Promise<void>;
  /** Ends it for good and removes its folder. */
  stop(): Promise<void>;
}

export async function startRedis(options: { port?: number } = {}): Promise<TestRedis> {
  const binary = Bun.which('redis-server');
  if (!binary) throw new Error('Redis is missing: apt-get install redis-server');
  const folder = await mkdtemp(join(tmpdir(), 'quire-redis-'));
  const port = options.port ?? (await freePort());
  const start = async () => {
    const child = Bun.spawn(
      [
        ...leash(),
        ...[binary, '--port', String(port), '--bind', '127.0.0.1', '--dir', folder],
        ...['--save', '', '--appendonly', 'no'],
      ],
      { stdio: ['ignore', 'ignore', 'ignore'] },
    );
    await waitUntil(async () => {
      if (child.exitCode !== null) throw new Error(`Redis ended with ${child.exitCode}`);
      return isAnswering(port);
    });
    return child;
  };
  let server = await start();

  const end = async () => {
    server.kill('SIGKILL');
    await server.exited;
  };
  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    get pid() {
      return server.pid;
    },
    pause: () => server.kill('SIGSTOP'),
    resume: () => server.kill('SIGCONT'),
    kill: end,
    async restart() {
      server = await start();
    },
    async stop() {
      await end();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Ends the server when we are killed. */
function leash(): string[] {
  return Bun.which('setpriv') ? ['setpriv', '--pdeathsig=KILL', '--'] : [];
}

function isAnswering(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection({ host: '127.0.0.1', port });
    const settle = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.on('connect', () => socket.write('PING\r\n'));
    socket.on('data', (data) => settle(data.toString().startsWith('+PONG')));
    socket.on('error', () => settle(false));
    socket.on('close', () => settle(false));
  });
}
