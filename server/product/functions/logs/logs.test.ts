import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createBroadcast } from '../../../platform/coordination/events/index.ts';
import { createLog, EventStreams } from '../../../platform/http/index.ts';
import { startStorage } from '../../../platform/storage/index.ts';
import { insertFunction } from '../model/store.ts';
import { followLogs } from './follow.ts';
import { FunctionLogs } from './logs.ts';
import { readStats } from './stats-report.ts';
import { listStats } from './stats-store.ts';
import { type LogRow, listLogs } from './store.ts';

let folder: string;
let storage: Awaited<ReturnType<typeof startStorage>>;
let logs: FunctionLogs;
let id: number;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quire-logs-'));
  storage = await startStorage({ dataFolder: folder, databaseUrl: undefined });
  const row = { slug: 'f', display_name: '', description: '', code: '', is_public: 1, owner_id: null };
  const times = { database_id: null, created_at: 0, updated_at: 0 };
  id = (await storage.db.transaction().execute((tx) => insertFunction(tx, { ...row, ...times }))) ?? 0;
  logs = new FunctionLogs({
    db: storage.db,
    log: createLog('error', { write: () => undefined }),
    now: () => 3_600_000,
    broadcast: createBroadcast(),
  });
});
afterEach(async () => {
  await logs.stop();
  await storage.stop();
  rmSync(folder, { recursive: true });
});

const past = async () => (await listLogs(storage.db, id, { limit: 1000 })).reverse();
const messages = (rows: Array<{ message: string }>) => rows.map(({ message }) => message);

test('entries that could not be written are written later, in order and once', async () => {
  const rename = (from: string, to: string) => storage.db.schema.alterTable(from).renameTo(to).execute();
  await rename('function_logs', 'away');
  logs.system(id, 'first');
  logs.call(id, { status: 500, startedAt: 3_599_990 });
  const failing = logs.flush();
  logs.system(id, 'second');
  expect(failing).rejects.toThrow('function_logs');
  await failing.catch(() => undefined);
  await logs.flush().catch(() => undefined);
  await rename('away', 'function_logs');
  logs.system(id, 'third');
  await logs.flush();
  await logs.flush();
  expect(messages(await past())).toEqual(['first', 'ok', 'second', 'third']);

  await rename('function_stats', 'away');
  logs.call(id, { status: 200, startedAt: 3_599_980 });
  await logs.flush().catch(() => undefined);
  await rename('away', 'function_stats');
  logs.call(id, { status: 200, startedAt: 3_599_970 });
  await logs.flush();
  // If the statistics of a flush failed, its entries were still written.
  expect(await past()).toHaveLength(6);
  expect(await listStats(storage.db, id, 0)).toMatchObject([
    { calls: 3, errors: 1, duration_total_ms: 60, duration_max_ms: 30 },
  ]);
});

test('percentiles are of all calls of a range, and hours without calls are zero', async () => {
  const HOUR_MS = 3_600_000;
  for (let i = 1; i <= 100; i++) logs.call(id, { status: i > 90 ? 500 : 200, startedAt: HOUR_MS - 10 * i });
  await logs.flush();
  const { series, totals, previousTotals, unit, stats } = await readStats(storage.db, id, '24h', HOUR_MS);
  expect([unit, series.length, stats.length]).toEqual(['hour', 24, 1]);
  expect(series.at(-1)).toMatchObject({ calls: 100, errors: 10, averageMs: 505, maxMs: 1_000 });
  expect(series.at(-2)).toMatchObject({ calls: 0, errors: 0, maxMs: 0, p50Ms: null, p99Ms: null });
  expect(previousTotals).toEqual({ calls: 0, errors: 0 });
  const { p50Ms, p75Ms, p95Ms, p99Ms } = totals as Record<string, number>;
  const real: Array<[number | undefined, number]> = [
    [p50Ms, 500],
    [p75Ms, 750],
    [p95Ms, 950],
    [p99Ms, 990],
  ];
  for (const [found = 0, expected] of real) expect(Math.abs(found / expected - 1)).toBeLessThan(0.42);
  const [later, thirty] = [
    await readStats(storage.db, id, '24h', 25 * HOUR_MS),
    await readStats(storage.db, id, '30d', HOUR_MS),
  ];
  expect([later.totals.calls, later.totals.p50Ms, later.previousTotals]).toEqual([
    0,
    null,
    { calls: 100, errors: 10 },
  ]);
  expect([thirty.unit, thirty.series.length, thirty.totals.calls, thirty.previousTotals]).toEqual([
    'day',
    30,
    100,
    null,
  ]);
});

test('the number of entries kept while writing fails is limited, and the rest is counted', async () => {
  const line = (i: number) => JSON.stringify({ timestamp: 1, level: 'log', message: `line ${i}` });
  await storage.db.schema.alterTable('function_logs').renameTo('away').execute();
  for (let round = 0; round < 3; round++) {
    for (let i = 0; i < 300; i++) logs.line(id, line(i));
    await logs.flush().catch(() => undefined);
  }
  await storage.db.schema.alterTable('away').renameTo('function_logs').execute();
  await logs.flush();
  const kept = messages(await past());
  expect(kept.length).toBeLessThan(210);
  expect(kept.slice(0, 200)).toEqual(Array.from({ length: 200 }, (_, i) => `line ${i}`));
  expect(kept[200]).toBe('100 more log entries came in that second and were not kept.');
});

test('a follower gets each entry once, whenever it came', async () => {
  let printed = 0;
  const print = () => logs.system(id, `line ${printed++}`);
  for (let i = 0; i < 5; i++) print();
  const listPast = async (): Promise<LogRow[]> => {
    // Some entries come before the list is read, and are in it. Others come after, and are sent meanwhile.
    print();
    await logs.flush();
    print();
    const rows = await past();
    print();
    await logs.flush();
    print();
    return rows;
  };
  const leaving = new AbortController();
  const response = await followLogs(new EventStreams(), logs, id, listPast, {
    signal: leaving.signal,
    userId: 1,
    address: '127.0.0.1',
  });
  for (let i = 0; i < 5; i++) print();
  const expected = Array.from({ length: printed }, (_, i) => `line ${i}`);

  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  while (!text.includes(`line ${printed - 1}"`)) text += (await reader?.read())?.value;
  leaving.abort();
  while (!(await reader?.read())?.done);
  const events = text.split('\n\n').filter((event) => event.startsWith('data: '));
  const entries = events.map((event) => JSON.parse(event.replace('data: ', '')));
  expect(messages(entries)).toEqual(expected);
  expect(new Set(entries.map((entry) => entry.id)).size).toBe(printed);
});
