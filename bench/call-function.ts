import { helpers } from '../test/support/functions/server.ts';
import { atLeast, atMost, type Figure, type Report, toRows, type Values } from './report/figure.ts';
import type { Bench } from './support/bench.ts';
import { needCommands } from './support/debian.ts';
import { type InstalledMiniflare, installMiniflare } from './support/miniflare.ts';
import { pinToCores } from './support/process.ts';
import { startQuire } from './support/quire.ts';
import {
  describeSpread,
  type Figures,
  loadFigures,
  loadValues,
  measureInTurns,
  type Peer,
  requireFigures,
} from './support/turns.ts';
import { startBareWorkerd } from './support/workerd.ts';

/**
 * Calls a running function that returns the JSON it gets. Compares Quire, with its front door and a boxed cell, with a
 * bare workerd and miniflare that serve the same module: once on two cores, and once with everything on one, including
 * the load.
 */

const ECHO = `export default {
  async fetch(request) {
    return Response.json({ success: true, data: await request.json() });
  },
};`;
const BODY = JSON.stringify({ name: 'Ada', tags: ['first', 'second'], count: 42, isPublic: true });

const CONNECTIONS = 64;

const BARE = 'bare workerd';
const QUIRE = 'Quire';
const MINIFLARE = 'miniflare';
const TWO_CORES = ', two cores';
const ONE_CORE = ', all on one core';

const ratioFigure = (where: string, goals: Figure['rows']): Figure => ({
  name: `Quire compared${where}`,
  digits: 2,
  rows: {
    'requests/s, of bare workerd': undefined,
    'p99, of bare workerd': undefined,
    'CPU time, of bare workerd': undefined,
    'requests/s, of miniflare': undefined,
    'p99, of miniflare': undefined,
    ...goals,
  },
});

export const figures: Figure[] = [
  ratioFigure(TWO_CORES, {
    'requests/s, of bare workerd': atLeast(0.95),
    'p99, of bare workerd': atMost(1),
    'requests/s, of miniflare': atLeast(1.8),
    'p99, of miniflare': atMost(1),
  }),
  ratioFigure(ONE_CORE, { 'requests/s, of bare workerd': atLeast(0.6) }),
  ...loadFigures(toRows([BARE, QUIRE, MINIFLARE]), TWO_CORES),
  ...loadFigures(toRows([BARE, QUIRE, MINIFLARE]), ONE_CORE),
];

export default async function callFunction(bench: Bench): Promise<Report> {
  await needCommands({ wrk: 'wrk', taskset: 'util-linux' });
  const miniflare = await installMiniflare(bench);
  const two = await measureOn('0,1', bench, miniflare);
  const one = await measureOn('0', bench, miniflare);
  return {
    note: `miniflare ${miniflare.version}. ${describeSpread([...two, ...one])}`,
    values: {
      [`Quire compared${TWO_CORES}`]: ratios(two),
      [`Quire compared${ONE_CORE}`]: ratios(one),
      ...loadValues(two, TWO_CORES),
      ...loadValues(one, ONE_CORE),
    },
  };
}

function ratios(measured: Figures[]): Values[string] {
  const [ours, bare, miniflare] = [QUIRE, BARE, MINIFLARE].map((name) => requireFigures(measured, name)) as [
    Figures,
    Figures,
    Figures,
  ];
  return {
    'requests/s, of bare workerd': ours.requestsPerSecond / bare.requestsPerSecond,
    'p99, of bare workerd': ours.p99Ms / bare.p99Ms,
    'CPU time, of bare workerd': ours.cpuMicroseconds / bare.cpuMicroseconds,
    'requests/s, of miniflare': ours.requestsPerSecond / miniflare.requestsPerSecond,
    'p99, of miniflare': ours.p99Ms / miniflare.p99Ms,
  };
}

/** Starts the peers on these cores, so that each knows how many it has, and stops them again. */
async function measureOn(cores: string, bench: Bench, miniflare: InstalledMiniflare): Promise<Figures[]> {
  await pinToCores([process.pid], cores);
  const server = await startQuire(bench);
  const slug = await server.deploy(ECHO);
  const bare = await startBareWorkerd(bench, ECHO);
  const other = await miniflare.start(ECHO);
  const peers: Peer[] = [
    { name: BARE, url: bare.url, host: 'localhost', pids: () => [bare.pid] },
    {
      name: QUIRE,
      url: `http://127.0.0.1:${server.port}/api/functions/${slug}`,
      host: `localhost:${server.port}`,
      pids: () => [server.pid, ...helpers(server).map(({ pid }) => pid)],
    },
    { name: MINIFLARE, url: other.url, host: 'localhost', pids: () => other.pids },
  ];
  for (const peer of peers) await assertEcho(peer);
  const measured = await measureInTurns(peers, {
    rounds: bench.pick(5, 1),
    seconds: bench.pick(2, 1),
    warmUpSeconds: bench.pick(2, 1),
    connections: CONNECTIONS,
    body: BODY,
    cores,
  });
  await Promise.all([server.stop(), bare.stop(), other.stop()]);
  return measured;
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
