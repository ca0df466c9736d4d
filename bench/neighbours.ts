import { createServer } from 'node:net';
import { type FunctionServer, HELLO } from '../test/support/functions/server.ts';
import { publish, register } from '../test/support/http/client.ts';
import { atMostTimes, type Figure, type Report, toRows, type Values } from './report/figure.ts';
import { ATTACKS, attack } from './support/attack.ts';
import type { Bench } from './support/bench.ts';
import { startQuire } from './support/quire.ts';
import { percentile } from './support/table.ts';

/**
 * What neighbours notice when one owner does their worst with cells, connections, a database, deploys and rendering:
 * first each alone, then all together. Neighbours call a function, open a page and create records, one after the other,
 * before, during and after.
 */

/** Requests that run when an attack begins count too: starting its cells is part of it. */
const PAUSE_MS = 5;

const TASKS = ['function call', 'page', 'record'] as const;
type Task = (typeof TASKS)[number];
type Times = Record<Task, number[]>;

const nameP99 = (task: Task) => `p99 of a ${task} in ms, quiet / attacked`;

export const figures: Figure[] = TASKS.map((task) => ({
  name: nameP99(task),
  digits: 1,
  rows: toRows(ATTACKS, atMostTimes(1.5)),
}));

export default async function neighbours(bench: Bench): Promise<Report> {
  const [quietSeconds, attackSeconds] = [bench.pick(5, 1), bench.pick(8, 1)];
  const server = await startQuire(bench, {
    settings: { QUIRE_CELLS_PER_OWNER: '16', QUIRE_DEPLOYS_PER_HOUR: '60' },
  });
  const ask = await openNeighbour(server);
  const sink = createServer((socket) => void socket.on('error', () => undefined));
  await new Promise<void>((resolve) => sink.listen(0, '127.0.0.1', resolve));
  bench.atEnd(async () => sink.close());
  const attacks = await attack(server, (sink.address() as { port: number }).port);

  await measure(ask, bench.pick(2, 1));
  const values: Values = Object.fromEntries(figures.map(({ name }) => [name, {}]));
  for (const { name, start } of attacks) {
    console.error(name);
    const quiet = await measure(ask, quietSeconds);
    const stop = await start();
    const busy = await measure(ask, attackSeconds);
    await stop();
    await waitUntilQuiet(ask, bench.pick(8_000, 500));
    for (const task of TASKS) {
      const both = [quiet, busy].map((times) => percentile(times[task], 99));
      Object.assign(values[nameP99(task)] ?? {}, { [name]: both });
    }
  }
  return {
    note: `One request at a time, ${quietSeconds} s quiet and ${attackSeconds} s of each attack.`,
    values,
  };
}

/** Another owner with a function, a page and a collection. */
async function openNeighbour(server: FunctionServer): Promise<Record<Task, () => Promise<Response>>> {
  const { token } = await register(server, 'neighbour');
  const slug = await server.deploy(HELLO, {}, { token, username: 'neighbour', id: 0, refreshToken: '' });
  const page = await publish(server, token, { html_content: '<h1>A page</h1>', storage_mode: 'social_app' });
  const base = `http://127.0.0.1:${server.port}`;
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ data: { title: 'A record' } });
  return {
    'function call': () => fetch(`${base}/api/functions/${slug}`, { method: 'POST' }),
    page: () => fetch(`${base}/p/${page.slug}`),
    record: () => fetch(`${base}/api/pages/${page.id}/social-data/notes`, { method: 'POST', headers, body }),
  };
}

async function measure(ask: Record<Task, () => Promise<Response>>, seconds: number): Promise<Times> {
  const figures: Times = { 'function call': [], page: [], record: [] };
  const end = performance.now() + seconds * 1000;
  while (performance.now() < end) {
    for (const task of TASKS) {
      const startedAt = performance.now();
      const response = await ask[task]();
      await response.arrayBuffer();
      if (!response.ok) throw new Error(`${task} of the neighbour was answered with ${response.status}`);
      figures[task].push(performance.now() - startedAt);
    }
    await Bun.sleep(PAUSE_MS);
  }
  return figures;
}

/** The processes of an attack take a while to end. */
async function waitUntilQuiet(
  ask: Record<Task, () => Promise<Response>>,
  milliseconds: number,
): Promise<void> {
  await Bun.sleep(milliseconds);
  await measure(ask, 1);
}
