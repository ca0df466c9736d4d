import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, waitUntil } from './server.ts';

/** The sample configuration of haproxy, in front of nodes on this machine. */

const SAMPLE = join(import.meta.dir, '../../deploy/haproxy.cfg');

export interface Balanced {
  port: number;
  /** The nodes that requests are sent to now, by their place. */
  up(): Promise<number[]>;
  stop(): Promise<void>;
}

/** Starts haproxy as the sample says, without TLS. */
export async function startBalanced(ports: number[]): Promise<Balanced> {
  const program = Bun.which('haproxy', { PATH: `${process.env.PATH}:/usr/sbin` });
  if (!program) throw new Error('haproxy is missing: apt-get install haproxy');
  const folder = mkdtempSync(join(tmpdir(), 'quire-haproxy-'));
  const file = join(folder, 'haproxy.cfg');
  const socket = join(folder, 'stats.sock');
  const port = await freePort();
  writeFileSync(file, plainSample(port, ports, socket));
  const child = Bun.spawn([program, '-db', '-n', '2000', '-f', file], {
    stdio: ['ignore', 'ignore', 'ignore'],
  });

  async function up(): Promise<number[]> {
    const lines = (await ask(socket, 'show servers state nodes')).split('\n');
    // https://docs.haproxy.org/2.6/management.html#9.3-show%20servers%20state: the 4th is the name, the 6th the state.
    const running = lines.map((line) => line.split(' ')).filter((fields) => fields[5] === '2');
    return running.map((fields) => Number(fields[3]?.replace('node-', '')) - 1);
  }

  await waitUntil(async () => {
    if (child.exitCode !== null) throw new Error(`haproxy exited with ${child.exitCode}`);
    return (await up().catch(() => [])).length === ports.length;
  });
  return {
    port,
    up,
    async stop() {
      child.kill();
      await child.exited;
      rmSync(folder, { recursive: true });
    },
  };
}

function plainSample(port: number, ports: number[], socket: string): string {
  const servers = ports.map((each, place) => `    server node-${place + 1} 127.0.0.1:${each}`);
  const lines = readFileSync(SAMPLE, 'utf8')
    .split('\n')
    .filter(
      (line) =>
        !/^\s+(server |bind :443|http-request redirect|http-response set-header Strict|ssl-)/.test(line),
    )
    .map((line) => line.replace('bind :80', `bind 127.0.0.1:${port}`))
    .map((line) => (line === 'global' ? `global\n    stats socket ${socket} mode 600` : line));
  return [...lines, ...servers, ''].join('\n');
}

async function ask(socket: string, command: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let answer = '';
  await Bun.connect({
    unix: socket,
    socket: {
      open: (wire) => void wire.write(`${command}\n`),
      data: (_, chunk) => {
        answer += chunk.toString();
      },
      close: () => resolve(answer),
      error: (_, error) => reject(error),
    },
  });
  return promise;
}
