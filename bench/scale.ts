import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { type Cluster, type ClusterNode, startCluster } from '../test/support/cluster.ts';
import { call, publish, register } from '../test/support/fault-client.ts';
import { descendants } from '../test/support/fault-process.ts';
import { startHaproxy } from '../test/support/haproxy.ts';
import { takePorts } from '../test/support/ports.ts';
import { startPostgres } from '../test/support/postgres.ts';
import { startServer } from '../test/support/server.ts';
import type { Bench } from './run.ts';
import { needCommands } from './support/debian.ts';
import { median, table } from './support/table.ts';
import { type Figures, measureInTurns, type Peer, percent, rate, ratio } from './support/turns.ts';

/**
 * What more machines bring and cost, as far as one machine can tell: the same load on one, two and three nodes, what
 * PostgreSQL and the cluster add to a request over SQLite, and how long a database is away when its node is killed.
 */

const ROUNDS = 3;
const ROUND_SECONDS = 3;
const WARM_UP_SECONDS = 2;
const MOVES = 5;
/** A moving database is asked for again this often. */
const ASK_EVERY_MS = 50;

const FUNCTION = `export default {
  async fetch(request, env) {
    const { task } = await request.json();
    if (task === 'call') return Response.json({ task });
    if (task === 'prepare') await env.DB.exec('CREATE TABLE entries (id INTEGER PRIMARY KEY, name TEXT NOT NULL)');
    if (task === 'read') return Response.json(await env.DB.prepare('SELECT name FROM entries WHERE id = 1').first());
    const { meta } = await env.DB.prepare('INSERT INTO entries (name) VALUES (?)').bind('an entry').run();
    return Response.json({ id: meta.last_row_id });
  },
};`;

/** The requests, and the number of connections for each. */
const TASKS = {
  'page served': 64,
  'records listed': 16,
  'record created': 32,
  'function called': 32,
  'function, row read': 16,
  'function, row inserted': 16,
};
type Task = keyof typeof TASKS;

/** The content that the load is about: the same on all. */
interface Content {
  slug: string;
  pageId: number;
  token: string;
}

/** A server or a balancer, with content behind it. */
interface Place {
  name: string;
  port: number;
  content: Content;
}

const SETTINGS = { QUIRE_FUNCTION_CALLS_PER_MINUTE: '0', QUIRE_QUOTA_BYTES: String(1e12) };

export default async function scale(bench: Bench): Promise<string> {
  await needCommands({ wrk: 'wrk', taskset: 'util-linux' });
  const cluster = await startCluster({ nodes: 3, settings: SETTINGS, durable: true });
  bench.atEnd(cluster.stop);
  const content = await fill(cluster);
  const nodes = await compareNodes(bench, cluster, content);
  const engines = await compareEngines(bench, cluster, content);
  const moves = await measureMoves(cluster, content);
  return [nodes, engines, moves].join('\n\n');
}

async function fill(server: { port: number }): Promise<Content> {
  const { token } = await register(server, 'bench');
  const html_content = `<!doctype html><title>A page</title>${'<p>Some words of a page.</p>'.repeat(740)}`;
  const { id: pageId, slug } = await publish(server, token, { storage_mode: 'social_app', html_content });
  for (let i = 0; i < 100; i++) {
    const body = { data: { title: 'A record', n: i } };
    await call(server, 'POST', `/api/pages/${pageId}/social-data/many`, { token, body });
  }
  const body = { slug: 'scale', code: FUNCTION, enableDatabase: true };
  await call(server, 'POST', '/api/functions', { token, body });
  const answer = await call(server, 'POST', '/api/functions/scale', { body: { task: 'prepare' } });
  if (answer.status !== 200) throw new Error(`the function answers ${answer.status}`);
  return { slug, pageId, token };
}

/** One, two and three of the nodes behind a balancer each, in turns. */
async function compareNodes(bench: Bench, cluster: Cluster, content: Content): Promise<string> {
  const places: Place[] = [];
  for (const count of [1, 2, 3]) {
    const port = takePorts(1);
    const nodes = cluster.nodes.slice(0, count).map(({ name, host, port }) => [name, `${host}:${port}`]);
    const folder = mkdtempSync(join(bench.folder, 'haproxy-'));
    const balancer = await startHaproxy({ folder, port, nodes: Object.fromEntries(nodes) });
    bench.atEnd(balancer.stop);
    places.push({ name: count === 1 ? '1 node' : `${count} nodes`, port, content });
  }
  const heading = 'Behind haproxy, with PostgreSQL, Redis and a bucket, all on the same two cores';
  return [heading, '', await compare(places, `of ${places[0]?.name}`)].join('\n');
}

/** One server on each engine, and a node of the cluster, without a balancer. */
async function compareEngines(bench: Bench, cluster: Cluster, content: Content): Promise<string> {
  const onSqlite = await startServer({ settings: SETTINGS });
  bench.atEnd(onSqlite.stop);
  const postgres = await startPostgres({ durable: true });
  bench.atEnd(postgres.stop);
  const onPostgres = await startServer({ settings: { ...SETTINGS, DATABASE_URL: postgres.url } });
  bench.atEnd(onPostgres.stop);
  const node = cluster.nodes[0] as ClusterNode;
  const places = [
    { name: 'SQLite', port: onSqlite.port, content: await fill(onSqlite) },
    { name: 'PostgreSQL', port: onPostgres.port, content: await fill(onPostgres) },
    { name: 'node of a cluster', port: node.port, content },
  ];
  return ['One server, no balancer', '', await compare(places, 'of SQLite')].join('\n');
}

async function compare(places: Place[], ofFirst: string): Promise<string> {
  const rows: string[][] = [];
  for (const task of Object.keys(TASKS) as Task[]) {
    const figures = await measureInTurns(
      places.map((place) => toPeer(place, task)),
      {
        rounds: ROUNDS,
        seconds: ROUND_SECONDS,
        warmUpSeconds: WARM_UP_SECONDS,
        connections: TASKS[task],
        cores: '0,1',
        body: bodyOf(task),
      },
    );
    rows.push(...figures.map((figure) => toRow(task, figure, figures[0])));
  }
  return table(['', 'requests/s', 'spread', ofFirst, 'p50 ms', 'p99 ms', 'CPU us/request', ofFirst], rows);
}

function toPeer({ name, port, content }: Place, task: Task): Peer {
  const path = {
    'page served': `/p/${content.slug}`,
    'records listed': `/api/pages/${content.pageId}/social-data/many?limit=20`,
    'record created': `/api/pages/${content.pageId}/social-data/created`,
    'function called': '/api/functions/scale',
    'function, row read': '/api/functions/scale',
    'function, row inserted': '/api/functions/scale',
  }[task];
  // All that runs for us: servers, their helpers, the engines and the balancers. Who is idle adds next to nothing.
  const pids = () => descendants(process.pid);
  const headers = [`Authorization: Bearer ${content.token}`];
  return { name, url: `http://127.0.0.1:${port}${path}`, host: `localhost:${port}`, headers, pids };
}

function bodyOf(task: Task): string | undefined {
  const bodies: Partial<Record<Task, object>> = {
    'record created': { data: { title: 'A record', done: false, tags: ['one', 'two'], n: 42 } },
    'function called': { task: 'call' },
    'function, row read': { task: 'read' },
    'function, row inserted': { task: 'insert' },
  };
  return bodies[task] && JSON.stringify(bodies[task]);
}

function toRow(task: Task, figure: Figures, first: Figures | undefined): string[] {
  return [
    `${task}, ${figure.name}`,
    rate(figure.requestsPerSecond),
    percent(figure.spread),
    ratio(figure.requestsPerSecond, first?.requestsPerSecond),
    figure.p50Ms.toFixed(1),
    figure.p99Ms.toFixed(1),
    figure.cpuMicroseconds.toFixed(0),
    ratio(figure.cpuMicroseconds, first?.cpuMicroseconds),
  ];
}

/** How long a database is unavailable after its node is killed, and after it is stopped. */
async function measureMoves(cluster: Cluster, { token }: Content): Promise<string> {
  const rows: string[][] = [];
  for (const end of ['kill', 'stop'] as const) {
    const seconds: number[] = [];
    for (let round = 1; round <= MOVES; round++) {
      seconds.push(await moveOnce(cluster, token, end));
      console.error(`round ${round}: after ${end}: ${seconds.at(-1)?.toFixed(1)} s`);
    }
    const name = end === 'kill' ? 'kill -9 of its node' : 'SIGTERM to its node';
    const [least, most] = [Math.min(...seconds), Math.max(...seconds)];
    rows.push([name, ...[median(seconds), least, most].map((value) => value.toFixed(1))]);
  }
  const heading = `The longest that a row waited to be written through another node, ${MOVES} times each`;
  return [heading, '', table(['seconds', 'median', 'min', 'max'], rows)].join('\n');
}

/** The longest that a write waits at one node while another ends, to which the database belonged until then. */
async function moveOnce(cluster: Cluster, token: string, end: 'kill' | 'stop'): Promise<number> {
  const [away, here] = cluster.nodes as [ClusterNode, ClusterNode];
  const slug = `moving-${crypto.randomUUID()}`;
  await call(away, 'POST', '/api/functions', { token, body: { slug, code: FUNCTION, enableDatabase: true } });
  const write = (node: ClusterNode, task: string) =>
    call(node, 'POST', `/api/functions/${slug}`, { body: { task }, timeoutMs: 40_000 });
  if ((await write(away, 'prepare')).status !== 200) throw new Error('the function does not run');
  let longest = 0;
  let isOver = false;
  const ending = away[end]().then(() => {
    isOver = true;
  });
  for (let wasOver = false; !wasOver; ) {
    wasOver = isOver;
    const startedAt = performance.now();
    while ((await write(here, 'insert')).status !== 200) await Bun.sleep(ASK_EVERY_MS);
    longest = Math.max(longest, performance.now() - startedAt);
  }
  await ending;
  await away.start();
  return longest / 1000;
}
