import { helpers } from '../test/support/function-server.ts';
import type { Bench } from './run.ts';
import { needCommands } from './support/debian.ts';
import { installMiniflare } from './support/miniflare.ts';
import { startQuire } from './support/quire.ts';
import { table } from './support/table.ts';
import { type Figures, measureInTurns, type Peer, percent, rate, ratio } from './support/turns.ts';

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
const ROUNDS = 5;
const ROUND_SECONDS = 2;
const WARM_UP_SECONDS = 2;

export default async function functionDatabase(bench: Bench): Promise<string> {
  await needCommands({ wrk: 'wrk', taskset: 'util-linux' });
  const miniflare = await installMiniflare(bench);
  const server = await startQuire(bench);
  const slug = await server.deploy(CODE, { enableDatabase: true });
  const other = await miniflare.start(CODE);
  const peers: Peer[] = [
    {
      name: 'Quire',
      url: `http://127.0.0.1:${server.port}/api/functions/${slug}`,
      host: `localhost:${server.port}`,
      pids: () => [server.pid, ...helpers(server).map(({ pid }) => pid)],
    },
    { name: "miniflare's D1", url: other.url, host: 'localhost', pids: () => other.pids },
  ];
  for (const peer of peers) await assertAnswer(peer, 'prepare');

  const rows: string[][] = [];
  for (const task of ['read', 'insert'] as const) {
    for (const peer of peers) await assertAnswer(peer, task);
    const figures = await measureInTurns(peers, {
      rounds: ROUNDS,
      seconds: ROUND_SECONDS,
      warmUpSeconds: WARM_UP_SECONDS,
      connections: CONNECTIONS,
      body: JSON.stringify({ task }),
      cores: '0,1',
    });
    rows.push(...toRows(task, figures));
  }
  return [
    `One statement a call, ${CONNECTIONS} connections, two cores, medians of ${ROUNDS} rounds of ${ROUND_SECONDS} s each,`,
    `miniflare ${miniflare.version}`,
    '',
    table(
      ['', 'requests/s', 'spread', 'of miniflare', 'p50 ms', 'p99 ms', 'CPU us/request', 'of miniflare'],
      rows,
    ),
  ].join('\n');
}

function toRows(task: string, figures: Figures[]): string[][] {
  const [, miniflare] = figures;
  return figures.map((peer) => [
    `${task}, ${peer.name}`,
    rate(peer.requestsPerSecond),
    percent(peer.spread),
    ratio(peer.requestsPerSecond, miniflare?.requestsPerSecond),
    peer.p50Ms.toFixed(1),
    peer.p99Ms.toFixed(1),
    peer.cpuMicroseconds.toFixed(0),
    ratio(peer.cpuMicroseconds, miniflare?.cpuMicroseconds),
  ]);
}

async function assertAnswer({ name, url, host }: Peer, task: keyof typeof EXPECTED): Promise<void> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { host, 'content-type': 'application/json' },
    body: JSON.stringify({ task }),
  });
  const answer = await response.text();
  if (answer !== EXPECTED[task])
    throw new Error(`${name} answers "${task}" with ${response.status} ${answer}`);
}
