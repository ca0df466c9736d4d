import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Engine, startEngine } from './engine.ts';

/** A real load balancer in front of nodes. */

export interface Balancer extends Engine {
  port: number;
  /** Whether it sends requests to the node now. */
  isUp(node: string): Promise<boolean>;
}

export interface BalancerOptions {
  folder: string;
  port: number;
  /** Its nodes, by name, as `host:port`. */
  nodes: Record<string, string>;
  healthPath: string;
}

export async function startHaproxy(options: BalancerOptions): Promise<Balancer> {
  const file = join(options.folder, 'haproxy.cfg');
  const socket = join(options.folder, 'haproxy.sock');
  await writeFile(file, configuration(options, socket));
  const program = Bun.which('haproxy', { PATH: `${process.env.PATH}:/usr/sbin` });
  if (!program) throw new Error('haproxy is missing: apt-get install haproxy');
  const engine = await startEngine({
    name: 'haproxy',
    command: [program, '-db', '-f', file],
    isReady: () => fetch(`http://127.0.0.1:${options.port}${options.healthPath}`).then(({ ok }) => ok),
  });
  return {
    ...engine,
    port: options.port,
    async isUp(node) {
      const states = await ask(socket, 'show stat');
      return states
        .split('\n')
        .map((line) => line.split(','))
        .some(([, name, ...fields]) => name === node && fields.includes('UP'));
    },
  };
}

const configuration = ({ port, nodes, healthPath }: BalancerOptions, socket: string) => `
global
  stats socket ${socket} mode 600
defaults
  mode http
  timeout connect 2s
  timeout client 90s
  timeout server 90s
  timeout http-request 30s
  option forwardfor
  option redispatch 1
  retries 3
  retry-on conn-failure
frontend quire
  bind 127.0.0.1:${port}
  default_backend nodes
backend nodes
  balance roundrobin
  http-reuse safe
  option httpchk GET ${healthPath}
  default-server check inter 500ms fall 2 rise 1
${Object.entries(nodes)
  .map(([name, address]) => `  server ${name} ${address}\n`)
  .join('')}`;

/** Says a word to haproxy's own socket, and reads what it says back. */
function ask(path: string, command: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = '';
    Bun.connect({
      unix: path,
      socket: {
        open: (socket) => void socket.write(`${command}\n`),
        data: (_, chunk) => void (answer += chunk.toString()),
        close: () => resolve(answer),
        error: (_, error) => reject(error),
      },
    }).catch(reject);
  });
}
