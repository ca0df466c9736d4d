import { createServer } from 'node:net';
import { publish, register } from '../test/support/fault-client.ts';
import { type FunctionServer, HELLO } from '../test/support/function-server.ts';
import type { Bench } from './run.ts';
import { attack } from './support/attack.ts';
import { startQuire } from './support/quire.ts';
import { percentile, table } from './support/table.ts';

/**
 * What neighbours notice when one owner does the worst they can: with cells, connections, a database, deploys and
 * rendering, each alone and then all together. Neighbours call a function, open a page and create records, one after
 * the other, before, during and after.
 */

const QUIET_SECONDS = 8;
const ATTACK_SECONDS = 12;
/** What is under way when an attack begins, such as starting its cells, is part of it. */
const PAUSE_MS = 5;

const TASKS = ['function call', 'page', 'record'] as const;
type Task = (typeof TASKS)[number];
type Figures = Record<Task, number[]>;

export default async function neighbours(bench: Bench): Promise<string> {
  const server = await startQuire(bench, {
    settings: { QUIRE_CELLS_PER_OWNER: '16', QUIRE_DEPLOYS_PER_HOUR: '60' },
  });
  const ask = await openNeighbour(server);
  const sink = createServer((socket) => void socket.on('error', () => undefined));
  await new Promise<void>((resolve) => sink.listen(0, '127.0.0.1', resolve));
  bench.atEnd(async () => sink.close());
  const attacks = await attack(server, (sink.address() as { port: number }).port);

  await measure(ask, 2);
  const rows: string[][] = [];
  for (const { name, start } of attacks) {
    const quiet = await measure(ask, QUIET_SECONDS);
    const stop = await start();
    const busy = await measure(ask, ATTACK_SECONDS);
    await stop();
    await waitUntilQuiet(ask);
    for (const task of TASKS) rows.push(row(name, task, quiet[task], busy[task]));
  }
  return [
    `Neighbours one request at a time; ${QUIET_SECONDS} s quiet and ${ATTACK_SECONDS} s of each attack, in turns`,
    '',
    table(
      [
        'attack',
        'neighbour',
        'quiet p50 ms',
        'p99 ms',
        'attacked p50 ms',
        'p99 ms',
        'p50 ratio',
        'p99 ratio',
      ],
      rows,
    ),
  ].join('\n');
}

function row(name: string, task: Task, quiet: number[], busy: number[]): string[] {
  const figures = [quiet, busy].flatMap((values) => [percentile(values, 50), percentile(values, 99)]);
  const [quietHalf = 0, quietMost = 0, busyHalf = 0, busyMost = 0] = figures;
  return [
    ...[name, task],
    ...figures.map((value) => value.toFixed(1)),
    ...[busyHalf / quietHalf, busyMost / quietMost].map((value) => value.toFixed(2)),
  ];
}

/** Somebody else with a function, a page and a collection. */
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

async function measure(ask: Record<Task, () => Promise<Response>>, seconds: number): Promise<Figures> {
  const figures: Figures = { 'function call': [], page: [], record: [] };
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

/** What an attack left behind takes a while to end. */
async function waitUntilQuiet(ask: Record<Task, () => Promise<Response>>): Promise<void> {
  await Bun.sleep(12_000);
  await measure(ask, 1);
}
