import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { startPostgres } from '../test/support/engines/postgres.ts';
import { call, publish, register } from '../test/support/http/client.ts';
import { startServer, type TestServer } from '../test/support/server.ts';
import { atLeast, atMost, type Figure, type Report, toRows, type Values } from './report/figure.ts';
import type { Bench } from './support/bench.ts';
import { besidePocketbase, pocketbaseFigures } from './support/beside-pocketbase.ts';
import { needCommands } from './support/debian.ts';
import { startCpuMeter } from './support/process.ts';
import { type RawEngine, rawPostgres, rawSqlite } from './support/raw-records.ts';
import { median } from './support/table.ts';
import { rate } from './support/turns.ts';
import { runLoad } from './support/wrk.ts';

/**
 * Creates records (50 connections, durable), and reads lists of 20 and single records out of a million. Compared with
 * each engine alone, which runs the same statements in a loop, and with PocketBase where it runs. All take turns.
 */

const BODY = JSON.stringify({ data: { title: 'A record', done: false, tags: ['one', 'two'], n: 42 } });
const TASKS = { create: 50, list: 8, read: 8 };
type Task = keyof typeof TASKS;
const ENGINES = ['SQLite', 'PostgreSQL'] as const;
const ROWS = ENGINES.flatMap((engine) => Object.keys(TASKS).map((task) => `${engine}, ${task}`));

const OF_ENGINE = 'Requests/s, of the engine alone';
const REQUESTS = 'Requests/s';
const ALONE = 'The engine alone, runs/s';
const P50 = 'p50 in ms';
const P99 = 'p99 in ms';
const CPU = 'CPU time of the server per request in µs';

export const figures: Figure[] = [
  { name: OF_ENGINE, digits: 2, rows: { ...toRows(ROWS), 'SQLite, create': atLeast(0.75) } },
  { name: REQUESTS, digits: 0, rows: { ...toRows(ROWS), 'SQLite, list': atLeast({ aarch64: 5_124 }) } },
  { name: ALONE, digits: 0, rows: toRows(ROWS) },
  { name: P50, digits: 1, rows: toRows(ROWS) },
  {
    name: P99,
    digits: 1,
    rows: { ...toRows(ROWS), 'SQLite, list': atMost(10), 'PostgreSQL, list': atMost(10) },
  },
  { name: CPU, digits: 0, rows: { ...toRows(ROWS), 'PostgreSQL, create': atMost({ aarch64: 418 }) } },
  ...pocketbaseFigures,
];

interface Scene {
  bench: Bench;
  server: TestServer;
  token: string;
  pageId: number;
  raw: RawEngine;
}

export default async function records(bench: Bench): Promise<Report> {
  await needCommands({ wrk: 'wrk', taskset: 'util-linux' });
  const values: Values = {};
  let note = '';
  for (const engine of ENGINES) {
    const scene = await (engine === 'SQLite' ? onSqlite(bench) : onPostgres(bench));
    for (const task of Object.keys(TASKS) as Task[]) {
      const measured = await measure(engine, scene, task);
      for (const [figure, value] of Object.entries(measured))
        values[figure] = { ...values[figure], [`${engine}, ${task}`]: value };
    }
    if (engine === 'SQLite') {
      const beside = await besidePocketbase(bench, scene);
      Object.assign(values, beside.values);
      note = beside.note;
    }
    await scene.raw.stop();
    await scene.server.stop();
  }
  const count = manyRecords(bench).toLocaleString('en');
  return { note: `Lists of 20 and single records out of ${count}. ${note}`, values };
}

const manyRecords = (bench: Bench) => bench.pick(1_000_000, 50_000);

async function onSqlite(bench: Bench): Promise<Scene> {
  const dataFolder = mkdtempSync(join(bench.folder, 'sqlite-'));
  return open(bench, { dataFolder, settings: {} }, (ids) => rawSqlite(join(dataFolder, 'quire.db'), ids));
}

async function onPostgres(bench: Bench): Promise<Scene> {
  const postgres = await startPostgres({ durable: true });
  bench.atEnd(postgres.stop);
  const dataFolder = mkdtempSync(join(bench.folder, 'postgres-'));
  const settings = { DATABASE_URL: postgres.url };
  return open(bench, { dataFolder, settings }, (ids) => rawPostgres(postgres.url, ids));
}

async function open(
  bench: Bench,
  options: { dataFolder: string; settings: Record<string, string> },
  openRaw: (ids: { pageId: number; userId: number }) => Promise<RawEngine>,
): Promise<Scene> {
  const settings = { ...options.settings, QUIRE_QUOTA_BYTES: String(1e15) };
  const server = await startServer({ dataFolder: options.dataFolder, settings });
  bench.atEnd(server.stop);
  const { token } = await register(server, 'bench');
  const me = await call(server, 'GET', '/api/auth/me', { token });
  const { id: pageId } = await publish(server, token, { storage_mode: 'social_app' });
  for (const collection of ['created', 'few', 'many', 'raw']) {
    const path = `/api/pages/${pageId}/social-data/${collection}`;
    await call(server, 'POST', path, { token, body: JSON.parse(BODY) });
  }
  const raw = await openRaw({ pageId, userId: me.body.user.id });
  bench.atEnd(raw.stop);
  console.error(`filling a collection with ${manyRecords(bench).toLocaleString('en')} records`);
  await raw.fill('many', manyRecords(bench));
  return { bench, server, token, pageId, raw };
}

/** Runs one task in turns with the engine alone. Returns a value for each figure. */
async function measure(engine: string, scene: Scene, task: Task): Promise<Record<string, number>> {
  const { bench, server, raw } = scene;
  const [rounds, seconds] = [bench.pick(3, 1), bench.pick(4, 1)];
  const path = `/api/pages/${scene.pageId}/social-data`;
  const one = await call(server, 'GET', `${path}/many?limit=1&offset=1000`);
  const base = `http://127.0.0.1:${server.port}${path}`;
  const load = {
    url: {
      create: `${base}/created`,
      list: `${base}/many?limit=20`,
      read: `${base}/many/${one.body.records[0].id}`,
    }[task],
    host: `localhost:${server.port}`,
    ...(task === 'create' && { body: BODY, headers: [`Authorization: Bearer ${scene.token}`] }),
    connections: TASKS[task],
    seconds,
    cores: '0,1',
  };
  await runLoad({ ...load, seconds: bench.pick(2, 1) });
  const samples: Array<{ ours: number; raw: number; p50Ms: number; p99Ms: number; cpu: number }> = [];
  for (let round = 1; round <= rounds; round++) {
    const cpuSince = startCpuMeter([server.pid]);
    const { requestsPerSecond, requests, p50Ms, p99Ms } = await runLoad(load);
    const cpu = (cpuSince() / requests) * 1e6;
    const alone = await raw[task](seconds * 1000);
    samples.push({ ours: requestsPerSecond, raw: alone, p50Ms, p99Ms, cpu });
    console.error(`round ${round}: ${engine}, ${task}: ${rate(requestsPerSecond)}/s, alone ${rate(alone)}/s`);
  }
  const middle = (field: keyof (typeof samples)[number]) => median(samples.map((sample) => sample[field]));
  return {
    [OF_ENGINE]: middle('ours') / middle('raw'),
    [REQUESTS]: middle('ours'),
    [ALONE]: middle('raw'),
    [P50]: middle('p50Ms'),
    [P99]: middle('p99Ms'),
    [CPU]: middle('cpu'),
  };
}
