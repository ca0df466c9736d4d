import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../server.ts';
import { type Engine, type EngineHost, startEngine } from './engine.ts';

/** A real Redis without persistence: it is empty after each start. */
export interface TestRedis extends Engine {
  url: string;
  port: number;
}

/** Starts our own Redis, on loopback unless a place is given. */
export async function startRedis(place: Partial<EngineHost> = {}): Promise<TestRedis> {
  const { host = '127.0.0.1', within = [] } = place;
  const port = place.port ?? (await freePort());
  const binary = Bun.which('redis-server');
  if (!binary) throw new Error('Redis is missing: apt-get install redis-server');
  const folder = await mkdtemp(join(place.folder ?? tmpdir(), 'quire-redis-'));
  const engine = await startEngine({
    name: 'Redis',
    command: [
      ...within,
      ...[binary, '--bind', host, '--port', String(port), '--dir', folder],
      ...['--save', '', '--appendonly', 'no', '--protected-mode', 'no'],
    ],
    isReady: () => saysPong(host, port),
  });
  return {
    ...engine,
    url: `redis://${host}:${port}`,
    port,
    async stop() {
      await engine.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function saysPong(hostname: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    Bun.connect({
      hostname,
      port,
      socket: {
        open: (socket) => void socket.write('PING\r\n'),
        data(socket, chunk) {
          resolve(chunk.toString().startsWith('+PONG'));
          socket.end();
        },
        close: () => resolve(false),
        connectError: () => resolve(false),
      },
    }).catch(() => resolve(false));
  });
}
