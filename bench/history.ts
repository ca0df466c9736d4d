import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { startPostgres } from '../test/support/engines/postgres.ts';
import { descendants } from '../test/support/faults/process.ts';
import { call, publish, register } from '../test/support/http/client.ts';
import { startServer, type TestServer } from '../test/support/server.ts';
import { atMost, type Figure, type Report, toRows, type Values } from './report/figure.ts';
import type { Bench } from './support/bench.ts';
import { type Send, sendInTurn } from './support/own-load.ts';
import { startCpuMeter } from './support/process.ts';
import { median } from './support/table.ts';

/**
 * What the history costs a record, a page and the call of a function: CPU time of the server with all processes that it
 * has started, and of PostgreSQL, with history and with `QUIRE_HISTORY_DAYS=0`. Both servers take turns, each with a
 * database of its own.
 */

const ENGINES = ['SQLite', 'PostgreSQL'] as const;
type Engine = (typeof ENGINES)[number];
const TASKS = ['create', 'update', 'page', 'call'] as const;
type Task = (typeof TASKS)[number];
const ROWS = ENGINES.flatMap((engine) => TASKS.map((task) => `${engine}, ${task}`));
const CONNECTIONS = 16;
const RECORDS = 500;
const WORKER = 'export default { fetch: () => new Response("called") };';
const DATA = { title: 'A record', done: false, tags: ['one', 'two'], n: 42 };

const RATIO = 'CPU time per request, of a server without history';
const WITH = 'CPU time per request in µs';
const WITHOUT = 'The same without history';

export const figures: Figure[] = [
  {
    name: RATIO,
    digits: 2,
    rows: { ...toRows(ROWS), 'SQLite, update': atMost(1.05), 'PostgreSQL, update': atMost(1.05) },
  },
  { name: WITH, digits: 0, rows: toRows(ROWS) },
  { name: WITHOUT, digits: 0, rows: toRows(ROWS) },
];

export default async function history(bench: Bench): Promise<Report> {
  const values: Values = { [RATIO]: {}, [WITH]: {}, [WITHOUT]: {} };
  for (const engine of ENGINES) {
    const servers = [await start(bench, engine, '30'), await start(bench, engine, '0')];
    const samples = Object.fromEntries(TASKS.map((task) => [task, [] as number[][]])) as Record<
      Task,
      number[][]
    >;
    for (let round = 0; round <= bench.pick(9, 2); round++)
      for (const task of TASKS) {
        const pair: number[] = [];
        for (const server of servers) pair.push(await server.measure(task, bench.pick(2, 1)));
        // The first round warms up.
        if (round > 0) samples[task].push(pair);
        console.error(`${engine}, ${task}: ${pair.map(Math.round).join(' with, ')} without`);
      }
    for (const task of TASKS) {
      const row = `${engine}, ${task}`;
      const part = (at: number) => median(samples[task].map((pair) => pair[at] ?? Number.NaN));
      Object.assign(values[RATIO] as object, { [row]: part(0) / part(1) });
      Object.assign(values[WITH] as object, { [row]: part(0) });
      Object.assign(values[WITHOUT] as object, { [row]: part(1) });
    }
    for (const server of servers) await server.stop();
  }
  return { note: `${CONNECTIONS} connections; ${RECORDS} records are updated.`, values };
}

async function start(bench: Bench, engine: Engine, days: string) {
  const before = new Set(descendants(process.pid));
  const postgres = engine === 'PostgreSQL' ? await startPostgres({ durable: true }) : undefined;
  const engines = descendants(process.pid).filter((pid) => !before.has(pid));
  if (postgres) bench.atEnd(postgres.stop);
  const dataFolder = mkdtempSync(join(bench.folder, 'data-'));
  const server = await startServer({
    dataFolder,
    settings: {
      QUIRE_HISTORY_DAYS: days,
      QUIRE_QUOTA_BYTES: '0',
      QUIRE_RATE_LIMIT: '0',
      QUIRE_FUNCTION_CALLS_PER_MINUTE: '0',
      ...(postgres && { DATABASE_URL: postgres.url }),
    },
  });
  bench.atEnd(server.stop);
  const { token } = await register(server, 'bench');
  const { id, slug } = await publish(server, token, { storage_mode: 'social_app' });
  const path = `/api/pages/${id}/social-data/notes`;
  const ids = await addRecords(server, token, path);
  const code = { slug: 'bench-history', code: WORKER, pageId: id };
  await call(server, 'POST', '/api/functions', { token, body: code });
  const origin = `http://127.0.0.1:${server.port}`;
  const base = origin + path;
  const host = `localhost:${server.port}`;
  const headers = { host, authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const sends: Record<Task, Send> = {
    create: () => fetch(base, { method: 'POST', headers, body: JSON.stringify({ data: DATA }) }),
    update: (number) =>
      fetch(`${base}/${ids[number % ids.length]}`, {
        method: 'PATCH',
        headers,
        body: `{"data":{"n":${number}}}`,
      }),
    page: () => fetch(`${origin}/p/${slug}`, { headers: { host } }),
    call: () => fetch(`${origin}/api/functions/bench-history`, { method: 'POST', headers: { host } }),
  };
  return {
    stop: server.stop,
    /** CPU time per request in µs. */
    async measure(task: Task, seconds: number): Promise<number> {
      const pids = new Set([
        server.pid,
        ...descendants(server.pid),
        ...engines.flatMap((pid) => [pid, ...descendants(pid)]),
      ]);
      const cpuSince = startCpuMeter([...pids]);
      const sent = await sendInTurn(sends[task], { connections: CONNECTIONS, seconds });
      return (cpuSince() / sent) * 1e6;
    },
  };
}

async function addRecords(server: TestServer, token: string, path: string): Promise<string[]> {
  const ids: string[] = [];
  for (let from = 0; from < RECORDS; from += 100) {
    const operations = Array.from({ length: 100 }, () => ({ op: 'create', data: DATA }));
    const { body } = await call(server, 'POST', `${path}/batch`, { token, body: { operations } });
    ids.push(...body.results.map(({ record }: { record: { id: string } }) => record.id));
  }
  return ids;
}
