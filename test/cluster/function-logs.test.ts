import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startStorage } from '../../server/platform/storage/index.ts';
import { addStats, listStats } from '../../server/product/functions/logs/stats-store.ts';
import { insertLogs, type LogRow, listLogs } from '../../server/product/functions/logs/store.ts';
import { insertFunction } from '../../server/product/functions/model/store.ts';
import { startDatabase } from '../support/engines/process-postgres.ts';

/** Three nodes log calls of the same functions, each in a different order. */

const KEPT = 50;
const ROUNDS = 15;
const FUNCTIONS = 8;

type Storage = Awaited<ReturnType<typeof startStorage>>;
let database: Awaited<ReturnType<typeof startDatabase>>;
let folder: string;
const nodes: Storage[] = [];
const ids: number[] = [];
beforeAll(async () => {
  database = await startDatabase();
  folder = mkdtempSync(join(tmpdir(), 'quire-logs-'));
  for (let node = 0; node < 3; node++)
    nodes.push(await startStorage({ dataFolder: folder, databaseUrl: database.url }));
  const row = { display_name: '', description: '', code: '', is_public: 1, owner_id: null };
  const times = { database_id: null, created_at: 0, updated_at: 0 };
  for (let n = 0; n < FUNCTIONS; n++) {
    const work = db().transaction();
    ids.push((await work.execute((tx) => insertFunction(tx, { ...row, ...times, slug: `f${n}` }))) ?? 0);
  }
}, 120_000);
afterAll(async () => {
  for (const node of nodes) await node.stop();
  await database.stop();
  rmSync(folder, { recursive: true });
});

const db = () => (nodes[0] as Storage).db;
const turned = (by: number) => [...ids.slice(by % FUNCTIONS), ...ids.slice(0, by % FUNCTIONS)];
const entry = (id: number): Omit<LogRow, 'id'> => ({
  function_id: id,
  at: 0,
  kind: 'console',
  level: 'log',
  message: 'a line',
  status: null,
  duration_ms: null,
});
const call = (id: number, hour: number) => ({
  function_id: id,
  hour,
  calls: 1,
  errors: 0,
  duration_total_ms: 5,
  duration_max_ms: 5,
  durations: [0, 0, 1],
});

test('writing logs never deadlocks, counts every call, and keeps the newest lines', async () => {
  await Promise.all(
    nodes.map(async (node, by) => {
      for (let round = 0; round < ROUNDS; round++) {
        const order = turned(3 * by + round);
        const lines = order.flatMap((id) => Array.from({ length: 10 }, () => entry(id)));
        expect(await insertLogs(node.db, lines, KEPT)).toHaveLength(lines.length);
        const hours = round % 2 ? [0, 3_600_000] : [3_600_000, 0];
        await addStats(
          node.db,
          hours.flatMap((hour) => order.map((id) => call(id, hour))),
        );
      }
    }),
  );
  for (const id of ids) {
    const counted = (await listStats(db(), id, 0)).map(({ calls }) => calls);
    expect(counted).toEqual([3 * ROUNDS, 3 * ROUNDS]);
    await insertLogs(db(), [entry(id)], KEPT);
    expect(await listLogs(db(), id, { limit: 10_000 })).toHaveLength(KEPT);
  }
});
