import { helpers } from '../test/support/function-server.ts';
import type { Bench } from './run.ts';
import { needCommands } from './support/debian.ts';
import { type InstalledMiniflare, installMiniflare } from './support/miniflare.ts';
import { pinToCores } from './support/process.ts';
import { startQuire } from './support/quire.ts';
import { table } from './support/table.ts';
import { type Figures, measureInTurns, type Peer, percent, rate, ratio } from './support/turns.ts';
import { startBareWorkerd } from './support/workerd.ts';

/**
 * Calling a function that runs already: JSON in, the same JSON out. Quire's front door with a boxed cell behind it,
 * beside a bare workerd and miniflare that serve the same module; once on two cores, once with all on one, the load
 * included.
 */

const ECHO = `export default {
  async fetch(request) {
    return Response.json({ success: true, data: await request.json() });
  },
};`;
const BODY = JSON.stringify({ name: 'Ada', tags: ['first', 'second'], count: 42, isPublic: true });

const CONNECTIONS = 64;
const ROUNDS = 5;
const ROUND_SECONDS = 2;
const WARM_UP_SECONDS = 2;

export default async function callFunction(bench: Bench): Promise<string> {
  await needCommands({ wrk: 'wrk', taskset: 'util-linux' });
  const miniflare = await installMiniflare(bench);
  return [
    `A JSON body of ${BODY.length} bytes, ${CONNECTIONS} connections, medians of ${ROUNDS} rounds of ${ROUND_SECONDS} s each,`,
    `miniflare ${miniflare.version}`,
    '',
    'Two cores:',
    '',
    callTable(await measureOn('0,1', bench, miniflare)),
    '',
    'All on one core:',
    '',
    callTable(await measureOn('0', bench, miniflare)),
  ].join('\n');
}

/** Starts the peers on these cores, so that each sees how many there are for it, and stops them again. */
async function measureOn(cores: string, bench: Bench, miniflare: InstalledMiniflare): Promise<Figures[]> {
  await pinToCores([process.pid], cores);
  const server = await startQuire(bench);
  const slug = await server.deploy(ECHO);
  const bare = await startBareWorkerd(bench, ECHO);
  const other = await miniflare.start(ECHO);
  const peers: Peer[] = [
    { name: 'bare workerd', url: bare.url, host: 'localhost', pids: () => [bare.pid] },
    {
      name: 'Quire',
      url: `http://127.0.0.1:${server.port}/api/functions/${slug}`,
      host: `localhost:${server.port}`,
      pids: () => [server.pid, ...helpers(server).map(({ pid }) => pid)],
    },
    { name: 'miniflare', url: other.url, host: 'localhost', pids: () => other.pids },
  ];
  for (const peer of peers) await assertEcho(peer);
  const figures = await measureInTurns(peers, {
    rounds: ROUNDS,
    seconds: ROUND_SECONDS,
    warmUpSeconds: WARM_UP_SECONDS,
    connections: CONNECTIONS,
    body: BODY,
    cores,
  });
  await Promise.all([server.stop(), bare.stop(), other.stop()]);
  return figures;
}

function callTable(figures: Figures[]): string {
  const [bare, , miniflare] = figures;
  return table(
    [
      '',
      'requests/s',
      'spread',
      'of bare workerd',
      'of miniflare',
      'p50 ms',
      'p99 ms',
      'CPU us/request',
      'of bare workerd',
      'cores busy',
    ],
    figures.map((peer) => [
      peer.name,
      rate(peer.requestsPerSecond),
      percent(peer.spread),
      ratio(peer.requestsPerSecond, bare?.requestsPerSecond),
      ratio(peer.requestsPerSecond, miniflare?.requestsPerSecond),
      peer.p50Ms.toFixed(1),
      peer.p99Ms.toFixed(1),
      peer.cpuMicroseconds.toFixed(0),
      ratio(peer.cpuMicroseconds, bare?.cpuMicroseconds),
      peer.busy.toFixed(2),
    ]),
  );
}

async function assertEcho({ name, url, host }: Peer): Promise<void> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { host, 'content-type': 'application/json' },
    body: BODY,
  });
  const expected = JSON.stringify({ success: true, data: JSON.parse(BODY) });
  const answer = await response.text();
  if (answer !== expected) throw new Error(`${name} answers ${response.status} ${answer}`);
}
