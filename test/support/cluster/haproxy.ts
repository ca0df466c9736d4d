import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Engine, startEngine } from '../engines/engine.ts';

/** A real load balancer in front of nodes. */

export interface Balancer extends Engine {
  port: number;
  /** Whether it currently sends requests to the node. */
  isUp(node: string): Promise<boolean>;
}

export interface BalancerOptions {
  folder: string;
  port: number;
  /** Its nodes, by name, as `host:port`. */
  nodes: Record<string, string>;
}

const SAMPLE = join(import.meta.dir, '../../../deploy/haproxy.cfg');

export async function startHaproxy(options: BalancerOptions): Promise<Balancer> {
  const file = join(options.folder, 'haproxy.cfg');
  const socket = join(options.folder, 'haproxy.sock');
  await writeFile(file, configuration(await readFile(SAMPLE, 'utf8'), options, socket));
  const program = Bun.which('haproxy', { PATH: `${process.env.PATH}:/usr/sbin` });
  if (!program) throw new Error('haproxy is missing: apt-get install haproxy');
  const engine = await startEngine({
    name: 'haproxy',
    // As many files as a service gets on many systems: the sample must work with that.
    command: ['prlimit', '--nofile=4096:4096', program, '-db', '-f', file],
    isReady: () => fetch(`http://127.0.0.1:${options.port}/healthz`).then(({ ok }) => ok),
  });
  return {
    ...engine,
    port: options.port,
    async isUp(node) {
      const states = await ask(socket, 'show stat');
      return states
        .split('\n')
        .map((line) => line.split(','))
        .some(([backend, name, ...fields]) => backend === 'nodes' && name === node && fields.includes('UP'));
    },
  };
}

/** The sample for operators, with our addresses and without TLS. */
function configuration(sample: string, { port, nodes }: BalancerOptions, socket: string): string {
  const servers = Object.entries(nodes).map(([name, address]) => `    server ${name} ${address}`);
  const lines = sample
    .split('\n')
    .filter(
      (line) => !/^\s+(bind .* ssl|ssl-|http-request redirect|http-response set-header Strict)/.test(line),
    )
    .filter((line) => !/^\s+server node-[23] /.test(line))
    .flatMap((line) => (/^\s+server node-1 /.test(line) ? servers : line))
    .map((line) => line.replace(/^(\s+bind) :80$/, `$1 127.0.0.1:${port}`))
    .map((line) => line.replace(/^global$/, `global\n    stats socket ${socket} mode 600`));
  return lines.join('\n');
}

/** Sends a command to haproxy's socket, and reads the response. */
function ask(path: string, command: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = '';
    Bun.connect({
      unix: path,
      socket: {
        open: (socket) => void socket.write(`${command}\n`),
        data(_, chunk) {
          answer += chunk.toString();
        },
        close: () => resolve(answer),
        error: (_, error) => reject(error),
      },
    }).catch(reject);
  });
}
