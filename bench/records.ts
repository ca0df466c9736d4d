import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { call, publish, register } from '../test/support/fault-client.ts';
import { startPostgres } from '../test/support/postgres.ts';
import { startServer, type TestServer } from '../test/support/server.ts';
import type { Bench } from './run.ts';
import { needCommands } from './support/debian.ts';
import { startCpuMeter } from './support/process.ts';
import { type RawEngine, rawPostgres, rawSqlite } from './support/raw-records.ts';
import { median, table } from './support/table.ts';
import { rate, ratio } from './support/turns.ts';
import { runLoad } from './support/wrk.ts';

/**
 * Records: creating them (50 connections, durable), lists of 20 and single ones out of a million. Beside each engine by
 * itself, which runs the same statements in a loop, in turns.
 */

const RECORDS = 1_000_000;
const ROUNDS = 3;
const ROUND_SECONDS = 4;
const BODY = JSON.stringify({ data: { title: 'A record', done: false, tags: ['one', 'two'], n: 42 } });
const TASKS = { create: 50, list: 8, read: 8 };
type Task = keyof typeof TASKS;

interface Scene {
  server: TestServer;
  token: string;
  pageId: number;
  raw: RawEngine;
}

export default async function records(bench: Bench): Promise<string> {
  await needCommands({ wrk: 'wrk', taskset: 'util-linux' });
  const rows: string[][] = [];
  for (const engine of ['SQLite', 'PostgreSQL'] as const) {
    const scene = await (engine === 'SQLite' ? onSqlite(bench) : onPostgres(bench));
    for (const task of Object.keys(TASKS) as Task[]) rows.push(await measure(engine, scene, task));
    await scene.raw.stop();
    await scene.server.stop();
  }
  return [
    `Medians of ${ROUNDS} rounds of ${ROUND_SECONDS} s each; lists of 20 and single records out of ${RECORDS.toLocaleString('en')}`,
    '',
    table(
      ['', 'connections', 'requests/s', 'the engine alone', 'of it', 'p50 ms', 'p99 ms', 'CPU us/request'],
      rows,
    ),
  ].join('\n');
}

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
  for (const collection of ['created', 'many', 'raw']) {
    const path = `/api/pages/${pageId}/social-data/${collection}`;
    await call(server, 'POST', path, { token, body: JSON.parse(BODY) });
  }
  const raw = await openRaw({ pageId, userId: me.body.user.id });
  bench.atEnd(raw.stop);
  console.error(`filling a collection with ${RECORDS.toLocaleString('en')} records`);
  await raw.fill('many', RECORDS);
  return { server, token, pageId, raw };
}

async function measure(engine: string, scene: Scene, task: Task): Promise<string[]> {
  const { server, raw } = scene;
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
    seconds: ROUND_SECONDS,
    cores: '0,1',
  };
  await runLoad({ ...load, seconds: 2 });
  const samples: Array<{ ours: number; raw: number; p50Ms: number; p99Ms: number; cpu: number }> = [];
  for (let round = 1; round <= ROUNDS; round++) {
    const cpuSince = startCpuMeter([server.pid]);
    const { requestsPerSecond, requests, p50Ms, p99Ms } = await runLoad(load);
    const cpu = (cpuSince() / requests) * 1e6;
    const alone = await raw[task](ROUND_SECONDS * 1000);
    samples.push({ ours: requestsPerSecond, raw: alone, p50Ms, p99Ms, cpu });
    console.error(`round ${round}: ${engine}, ${task}: ${rate(requestsPerSecond)}/s, alone ${rate(alone)}/s`);
  }
  const middle = (field: keyof (typeof samples)[number]) => median(samples.map((sample) => sample[field]));
  return [
    `${engine}, ${task}`,
    String(TASKS[task]),
    rate(middle('ours')),
    rate(middle('raw')),
    ratio(middle('ours'), middle('raw')),
    middle('p50Ms').toFixed(1),
    middle('p99Ms').toFixed(1),
    middle('cpu').toFixed(0),
  ];
}
