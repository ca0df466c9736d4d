import { helpers } from '../test/support/functions/server.ts';
import { atLeast, atMost, type Figure, type Report, toRows, type Values } from './report/figure.ts';
import type { Bench } from './support/bench.ts';
import { needCommands } from './support/debian.ts';
import { installMiniflare } from './support/miniflare.ts';
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

/** One statement per call through `env.DB`: Quire compared with miniflare's D1, both with a database on disk. */

const ROWS = 1_000;
const CODE = `export default {
  async fetch(request, env) {
    const { task } = await request.json();
    if (task === 'read') {
      const id = 1 + Math.floor(Math.random() * ${ROWS});
      return Response.json(await env.DB.prepare('SELECT name FROM items WHERE id = ?').bind(id).first());
    }
    if (task === 'insert') {
      const { meta } = await env.DB.prepare('INSERT INTO entries (name) VALUES (?)').bind('an entry').run();
      return Response.json({ changes: meta.changes });
    }
    await env.DB.batch([
      env.DB.prepare('CREATE TABLE items (id INTEGER PRIMARY KEY, name TEXT NOT NULL)'),
      env.DB.prepare('CREATE TABLE entries (id INTEGER PRIMARY KEY, name TEXT NOT NULL)'),
      env.DB.prepare(\`INSERT INTO items (name) WITH RECURSIVE numbers (n) AS
        (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${ROWS}) SELECT 'an item' FROM numbers\`),
    ]);
    return Response.json({ isReady: true });
  },
};`;
const EXPECTED = { prepare: '{"isReady":true}', read: '{"name":"an item"}', insert: '{"changes":1}' };

const CONNECTIONS = 16;
const TASKS = ['read', 'insert'] as const;

const QUIRE = 'Quire';
const MINIFLARE = "miniflare's D1";

export const figures: Figure[] = [
  { name: "Requests/s, of miniflare's D1", digits: 2, rows: toRows(TASKS, atLeast(1.4)) },
  { name: "CPU time, of miniflare's D1", digits: 2, rows: toRows(TASKS, atMost(1.15)) },
  ...TASKS.flatMap((task) => loadFigures(toRows([QUIRE, MINIFLARE]), `, ${task}`)),
];

export default async function functionDatabase(bench: Bench): Promise<Report> {
  await needCommands({ wrk: 'wrk', taskset: 'util-linux' });
  const miniflare = await installMiniflare(bench);
  const server = await startQuire(bench);
  const slug = await server.deploy(CODE, { enableDatabase: true });
  const other = await miniflare.start(CODE);
  const peers: Peer[] = [
    {
      name: QUIRE,
      url: `http://127.0.0.1:${server.port}/api/functions/${slug}`,
      host: `localhost:${server.port}`,
      pids: () => [server.pid, ...helpers(server).map(({ pid }) => pid)],
    },
    { name: MINIFLARE, url: other.url, host: 'localhost', pids: () => other.pids },
  ];
  for (const peer of peers) await assertAnswer(peer, 'prepare');

  const all: Figures[] = [];
  const values: Values = {};
  const [requests, cpuTime]: [Record<string, number>, Record<string, number>] = [{}, {}];
  for (const task of TASKS) {
    for (const peer of peers) await assertAnswer(peer, task);
    const measured = await measureInTurns(peers, {
      rounds: bench.pick(5, 1),
      seconds: bench.pick(2, 1),
      warmUpSeconds: bench.pick(2, 1),
      connections: CONNECTIONS,
      body: JSON.stringify({ task }),
      cores: '0,1',
    });
    const [ours, theirs] = [requireFigures(measured, QUIRE), requireFigures(measured, MINIFLARE)];
    requests[task] = ours.requestsPerSecond / theirs.requestsPerSecond;
    cpuTime[task] = ours.cpuMicroseconds / theirs.cpuMicroseconds;
    Object.assign(values, loadValues(measured, `, ${task}`));
    all.push(...measured);
  }
  return {
    note: `miniflare ${miniflare.version}. ${describeSpread(all)}`,
    values: { "Requests/s, of miniflare's D1": requests, "CPU time, of miniflare's D1": cpuTime, ...values },
  };
}

async function assertAnswer({ name, url, host }: Peer, task: keyof typeof EXPECTED): Promise<void> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { host, 'content-type': 'application/json' },
    body: JSON.stringify({ task }),
    // miniflare closes connections that were idle for a few seconds.
    keepalive: false,
  });
  const answer = await response.text();
  if (answer !== EXPECTED[task])
    throw new Error(`${name} answers "${task}" with ${response.status} ${answer}`);
}
