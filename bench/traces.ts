import { type FunctionServer, helpers } from '../test/support/functions/server.ts';
import { publish } from '../test/support/http/client.ts';
import { atLeast, atMost, type Figure, type Report, toRows, type Values } from './report/figure.ts';
import type { Bench } from './support/bench.ts';
import { needCommands } from './support/debian.ts';
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

/** What traces cost: a server without them beside one that traces 1 % of its requests, and one that traces them all. */

const CODE = `export default {
  async fetch(request, env) {
    const { isFirst } = await request.json();
    if (isFirst) await env.DB.exec('CREATE TABLE items (id INTEGER PRIMARY KEY); INSERT INTO items VALUES (1)');
    return Response.json(await env.DB.prepare('SELECT id FROM items WHERE id = ?').bind(1).first());
  },
};`;
const FOUND = '{"id":1}';
const CONNECTIONS = 16;

const OFF = 'off';
const SOME = '1 % of requests';
const ALL = 'all requests';
const RATIOS = { [SOME]: '0.01', [ALL]: '1' };
const LOADS = ['a page', 'a call with a statement'] as const;

export const figures: Figure[] = LOADS.flatMap((load) => [
  {
    name: `Requests/s, of those without traces, ${load}`,
    digits: 2,
    rows: { [SOME]: atLeast(0.97), [ALL]: undefined },
  },
  {
    name: `CPU time, of that without traces, ${load}`,
    digits: 2,
    rows: { [SOME]: atMost(1.03), [ALL]: undefined },
  },
  ...loadFigures(toRows([OFF, SOME, ALL]), `, ${load}`),
]);

export default async function traces(bench: Bench): Promise<Report> {
  await needCommands({ wrk: 'wrk', taskset: 'util-linux' });
  const collector = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      await request.arrayBuffer();
      return Response.json({});
    },
  });
  bench.atEnd(() => collector.stop(true));
  const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${collector.port}` };
  const servers: Array<{ name: string; server: FunctionServer }> = [
    { name: OFF, server: await startQuire(bench) },
  ];
  for (const [name, ratio] of Object.entries(RATIOS)) {
    const settings = { ...endpoint, OTEL_TRACES_SAMPLER_ARG: ratio };
    servers.push({ name, server: await startQuire(bench, { settings }) });
  }
  const all: Figures[] = [];
  const values: Values = {};
  for (const load of LOADS) {
    const peers = await Promise.all(servers.map(({ name, server }) => toPeer(name, server, load)));
    const measured = await measureInTurns(peers, {
      rounds: bench.pick(7, 1),
      seconds: bench.pick(2, 1),
      warmUpSeconds: bench.pick(3, 1),
      connections: CONNECTIONS,
      cores: '0,1',
    });
    all.push(...measured);
    Object.assign(values, compare(measured, load), loadValues(measured, `, ${load}`));
  }
  await Promise.all(servers.map(({ server }) => server.stop()));
  return { note: describeSpread(all), values };
}

function compare(measured: Figures[], load: string): Values {
  const off = requireFigures(measured, OFF);
  const toRatios = (read: (figures: Figures) => number) =>
    Object.fromEntries(
      Object.keys(RATIOS).map((name) => [name, read(requireFigures(measured, name)) / read(off)]),
    );
  return {
    [`Requests/s, of those without traces, ${load}`]: toRatios((each) => each.requestsPerSecond),
    [`CPU time, of that without traces, ${load}`]: toRatios((each) => each.cpuMicroseconds),
  };
}

async function toPeer(name: string, server: FunctionServer, load: (typeof LOADS)[number]): Promise<Peer> {
  const base = `http://127.0.0.1:${server.port}`;
  const peer = {
    name,
    host: `localhost:${server.port}`,
    pids: () => [server.pid, ...helpers(server).map(({ pid }) => pid)],
  };
  if (load === 'a page') {
    const { slug } = await publish(server, server.owner.token);
    return { ...peer, url: `${base}/p/${slug}` };
  }
  const slug = await server.deploy(CODE, { enableDatabase: true });
  const { status, body } = await server.call(slug, { body: { isFirst: true } });
  if (JSON.stringify(body) !== FOUND) throw new Error(`${name} answers ${status} ${JSON.stringify(body)}`);
  return { ...peer, url: `${base}/api/functions/${slug}`, body: '{}' };
}
