import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { type Cluster, type ClusterNode, startCluster } from '../test/support/cluster/cluster.ts';
import { startHaproxy } from '../test/support/cluster/haproxy.ts';
import { startPostgres } from '../test/support/engines/postgres.ts';
import { descendants } from '../test/support/faults/process.ts';
import { call, publish, register } from '../test/support/http/client.ts';
import { takePorts } from '../test/support/ports.ts';
import { startServer } from '../test/support/server.ts';
import { type Figure, type Report, toRows, type Value, type Values } from './report/figure.ts';
import type { Bench } from './support/bench.ts';
import { needCommands } from './support/debian.ts';
import { median } from './support/table.ts';
import { describeSpread, type Figures, measureInTurns, type Peer } from './support/turns.ts';

/**
 * What more machines bring and cost, as far as one machine can tell: the same load on one, two and three nodes, what
 * PostgreSQL and the cluster add to a request over SQLite, and how long a database is away when its node is killed.
 */

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
/** What a quick run asks for. */
const QUICK_TASKS: Task[] = ['page served', 'record created'];

/** The content that the load is about: the same on all. */
interface Content {
  slug: string;
  pageId: number;
  token: string;
}

/** A server or a balancer, with content behind it. */
interface MeasuredServer {
  name: string;
  port: number;
  content: Content;
}

const SETTINGS = { QUIRE_FUNCTION_CALLS_PER_MINUTE: '0', QUIRE_QUOTA_BYTES: String(1e12) };

const ON_NODES = 'behind HAProxy, 1 / 2 / 3 nodes';
const ON_ENGINES = 'one server, SQLite / PostgreSQL / node of a cluster';
const MOVES = 'A database is unavailable when its node ends, seconds, median / min / max';
const END_OF_NODE = { kill: 'kill -9 of its node', stop: 'SIGTERM to its node' };

export const figures: Figure[] = [
  ...[ON_NODES, ON_ENGINES].flatMap((where) =>
    ['Requests/s', 'CPU time per request in µs', 'p50 in ms', 'p99 in ms'].map((name) => ({
      name: `${name}, ${where}`,
      digits: name.endsWith('ms') ? 1 : 0,
      rows: toRows(Object.keys(TASKS)),
    })),
  ),
  { name: MOVES, digits: 1, rows: toRows(Object.values(END_OF_NODE)) },
];

export default async function scale(bench: Bench): Promise<Report> {
  await needCommands({ wrk: 'wrk', taskset: 'util-linux' });
  const cluster = await startCluster({ nodes: 3, settings: SETTINGS, durable: true });
  bench.atEnd(cluster.stop);
  const content = await fill(cluster);
  const nodes = await compareNodes(bench, cluster, content);
  const engines = await compareEngines(bench, cluster, content);
  const moves = await measureMoves(bench, cluster, content);
  return {
    note: describeSpread([...nodes.measured, ...engines.measured]),
    values: { ...nodes.values, ...engines.values, [MOVES]: moves },
  };
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
async function compareNodes(bench: Bench, cluster: Cluster, content: Content): Promise<Comparison> {
  const places: MeasuredServer[] = [];
  for (const count of [1, 2, 3]) {
    const port = takePorts(1);
    const nodes = cluster.nodes.slice(0, count).map(({ name, host, port }) => [name, `${host}:${port}`]);
    const folder = mkdtempSync(join(bench.folder, 'haproxy-'));
    const balancer = await startHaproxy({ folder, port, nodes: Object.fromEntries(nodes) });
    bench.atEnd(balancer.stop);
    places.push({ name: count === 1 ? '1 node' : `${count} nodes`, port, content });
  }
  return compare(bench, places, ON_NODES);
}

/** One server on each engine, and a node of the cluster, without a balancer. */
async function compareEngines(bench: Bench, cluster: Cluster, content: Content): Promise<Comparison> {
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
  return compare(bench, places, ON_ENGINES);
}

interface Comparison {
  measured: Figures[];
  values: Values;
}

async function compare(bench: Bench, places: MeasuredServer[], where: string): Promise<Comparison> {
  const tasks = bench.pick(Object.keys(TASKS) as Task[], QUICK_TASKS);
  const all: Figures[] = [];
  const values: Values = {};
  for (const task of tasks) {
    const measured = await measureInTurns(
      places.map((place) => toPeer(place, task)),
      {
        rounds: bench.pick(3, 1),
        seconds: 1,
        warmUpSeconds: 1,
        connections: TASKS[task],
        cores: '0,1',
        body: buildBody(task),
      },
    );
    const add = (name: string, value: (one: Figures) => number) => {
      const figure = `${name}, ${where}`;
      values[figure] = { ...values[figure], [task]: measured.map(value) };
    };
    add('Requests/s', ({ requestsPerSecond }) => requestsPerSecond);
    add('CPU time per request in µs', ({ cpuMicroseconds }) => cpuMicroseconds);
    add('p50 in ms', ({ p50Ms }) => p50Ms);
    add('p99 in ms', ({ p99Ms }) => p99Ms);
    all.push(...measured);
  }
  return { measured: all, values };
}

function toPeer({ name, port, content }: MeasuredServer, task: Task): Peer {
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

function buildBody(task: Task): string | undefined {
  const bodies: Partial<Record<Task, object>> = {
    'record created': { data: { title: 'A record', done: false, tags: ['one', 'two'], n: 42 } },
    'function called': { task: 'call' },
    'function, row read': { task: 'read' },
    'function, row inserted': { task: 'insert' },
  };
  return bodies[task] && JSON.stringify(bodies[task]);
}

/** How long a database is unavailable after its node is killed, and after it is stopped. */
async function measureMoves(
  bench: Bench,
  cluster: Cluster,
  { token }: Content,
): Promise<Record<string, Value>> {
  const rows: Record<string, Value> = {};
  const rounds = bench.pick(3, 1);
  // After a kill, a node waits for its own lease before it starts again.
  for (const end of bench.pick(['kill', 'stop'] as const, ['stop'] as const)) {
    const seconds: number[] = [];
    for (let round = 1; round <= rounds; round++) {
      seconds.push(await moveOnce(cluster, token, end));
      console.error(`round ${round}: after ${end}: ${seconds.at(-1)?.toFixed(1)} s`);
    }
    rows[END_OF_NODE[end]] = [median(seconds), Math.min(...seconds), Math.max(...seconds)];
  }
  return rows;
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
