import { Database } from 'bun:sqlite';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { startPostgres } from '../test/support/engines/postgres.ts';
import { call, publish, register } from '../test/support/http/client.ts';
import { startServer, type TestServer } from '../test/support/server.ts';
import { atMost, type Figure, type Report, toRows, type Values } from './report/figure.ts';
import type { Bench } from './support/bench.ts';
import { startCpuMeter } from './support/process.ts';
import { percentile } from './support/table.ts';

/** Lists of 20 out of a million records by fields that have an index, with the total of each, one request at a time. */

const ENGINES = ['SQLite', 'PostgreSQL'] as const;
type Engine = (typeof ENGINES)[number];

const STATUSES = ['open', 'done', 'late'];
const SCHEMA = {
  fields: { code: { type: 'string' }, price: { type: 'number' }, status: { type: 'enum', values: STATUSES } },
  indexes: ['code', 'price', 'status'],
};
/** Prime to the number of records, so that the prices have nothing to do with the age. */
const STEP = 7_919;

/** The query of a task, of which every run is another one. */
type Query = (n: number, count: number) => Record<string, string>;

const TASKS: Record<string, Query> = {
  equal: (n) => ({ where: JSON.stringify({ code: `code ${n}` }) }),
  'range of 1,000': (n) => ({ where: JSON.stringify({ price: { gte: n, lt: n + 1_000 } }) }),
  'range of a tenth, in its order': (n, count) => ({
    where: JSON.stringify({ price: { gte: n, lt: n + count / 10 } }),
    orderBy: 'data.price',
    order: n % 2 ? 'asc' : 'desc',
  }),
  order: (n) => ({ orderBy: 'data.price', order: n % 2 ? 'asc' : 'desc', offset: String(n % 1_000) }),
  'one of three values': (n) => ({ where: JSON.stringify({ status: STATUSES[n % 3] }) }),
  'one of three values, ordered': (n) => ({
    where: JSON.stringify({ status: STATUSES[n % 3] }),
    orderBy: 'data.price',
  }),
};
/** What the machine gives: a list that needs no index. */
const PLAIN = 'newest, without an index';
const ROWS = ENGINES.flatMap((engine) => [PLAIN, ...Object.keys(TASKS)].map((task) => `${engine}, ${task}`));

const P50 = 'A list of 20 and its total, p50 in ms';
const P99 = 'A list of 20 and its total, p99 in ms';
const CPU = 'CPU time of the server per list in µs';
const BUILD = 'Three indexes on all records';

/** Most of it is building. */
export const minutes = 40;

export const figures: Figure[] = [
  { name: P50, digits: 1, rows: toRows(ROWS) },
  {
    name: P99,
    digits: 1,
    rows: {
      ...toRows(ROWS, atMost(10)),
      ...toRows(ENGINES.map((engine) => `${engine}, ${PLAIN}`)),
    },
  },
  { name: CPU, digits: 0, rows: toRows(ROWS) },
  { name: BUILD, digits: 0, rows: toRows(ENGINES.map((engine) => `${engine}, seconds to build`)) },
];

export default async function indexes(bench: Bench): Promise<Report> {
  const count = bench.pick(1_000_000, 50_000);
  const values: Values = {};
  const put = (figure: string, row: string, value: number) => {
    values[figure] = { ...values[figure], [row]: value };
  };
  for (const engine of ENGINES) {
    const { server, token, notes, seconds } = await prepare(bench, engine, count);
    put(BUILD, `${engine}, seconds to build`, seconds);
    for (const [task, toQuery] of Object.entries<Query>({ [PLAIN]: () => ({}), ...TASKS })) {
      const requests = bench.pick(1_000, 200);
      const ask = (n: number) =>
        call(server, 'GET', `${notes}?${new URLSearchParams({ limit: '20', ...toQuery(n, count) })}`, {
          token,
        });
      for (let n = 0; n < 50; n++) await ask(n);
      const cpuSince = startCpuMeter([server.pid]);
      const delays: number[] = [];
      for (let n = 0; n < requests; n++) {
        const at = Math.floor(Math.random() * count * 0.9);
        const startedAt = performance.now();
        const { status, body } = await ask(at);
        delays.push(performance.now() - startedAt);
        if (status !== 200 || body.records.length === 0) throw new Error(`${task}: ${JSON.stringify(body)}`);
      }
      put(P50, `${engine}, ${task}`, percentile(delays, 50));
      put(P99, `${engine}, ${task}`, percentile(delays, 99));
      put(CPU, `${engine}, ${task}`, (cpuSince() / requests) * 1e6);
      console.error(`${engine}, ${task}: p50 ${percentile(delays, 50)} ms, p99 ${percentile(delays, 99)} ms`);
    }
    await server.stop();
  }
  return { note: `Lists out of ${count.toLocaleString('en')} records, one request at a time.`, values };
}

/** A server with a full collection whose indexes are built. */
async function prepare(bench: Bench, engine: Engine, count: number) {
  const dataFolder = mkdtempSync(join(bench.folder, 'indexes-'));
  const postgres = engine === 'PostgreSQL' ? await startPostgres({ durable: true }) : undefined;
  if (postgres) bench.atEnd(postgres.stop);
  const server = await startServer({
    dataFolder,
    settings: { QUIRE_QUOTA_BYTES: String(1e15), ...(postgres && { DATABASE_URL: postgres.url }) },
  });
  bench.atEnd(server.stop);
  const { token } = await register(server, 'bench');
  const { id } = await publish(server, token, { storage_mode: 'social_app' });
  const notes = `/api/pages/${id}/social-data/notes`;
  const one = { code: 'code x', price: -1, status: 'open' };
  await call(server, 'POST', notes, { token, body: { data: one } });
  console.error(`${engine}: filling a collection with ${count.toLocaleString('en')} records`);
  await (postgres ? fillPostgres(postgres.url, count) : fillSqlite(join(dataFolder, 'quire.db'), count));
  const startedAt = performance.now();
  await call(server, 'PUT', `${notes}/schema`, { token, body: { schema: SCHEMA } });
  await untilBuilt(server, token, notes);
  const seconds = (performance.now() - startedAt) / 1000;
  console.error(`${engine}: built in ${Math.round(seconds)} s`);
  return { server, token, notes, seconds };
}

async function untilBuilt(server: TestServer, token: string, notes: string): Promise<void> {
  for (;;) {
    const { body } = await call(server, 'GET', `${notes}/schema`, { token });
    if (body.indexes.every(({ state }: { state: string }) => state === 'ready')) return;
    await Bun.sleep(500);
  }
}

const COLUMNS = 'collection_id, id, data, size, created_by, created_at, updated_at';
/** All records have about this size. */
const SIZE = 70;
const COUNT = `update record_counts set records = records + $1, bytes = bytes + $1 * ${SIZE}`;

function fillSqlite(path: string, count: number): void {
  const database = new Database(path, { strict: true });
  database.run('pragma busy_timeout = 5000');
  database.run(
    `insert into records (${COLUMNS}) with recursive numbers (n) as (select 0 union all select n + 1 from numbers where n < ?1 - 1)
     select c.id, printf('%08x-%04x-7000-8000-%012x', 25000000 + (n >> 16), n & 65535, n),
       printf('{"code":"code %d","price":%d,"status":"%s"}', n, n * ${STEP} % ?1,
         case n % 3 when 0 then 'open' when 1 then 'done' else 'late' end),
       ${SIZE}, u.id, 1700000000000 + n, 1700000000000 + n from numbers, collections as c, users as u`,
    [count],
  );
  database.run(COUNT.replaceAll('$', '?'), [count]);
  database.run('pragma wal_checkpoint(truncate)');
  database.close();
}

async function fillPostgres(url: string, count: number): Promise<void> {
  const client = new Client(url);
  await client.connect();
  await client.query(
    `insert into records (${COLUMNS}, text) select c.id, lpad(to_hex(25000000 + (n >> 16)), 8, '0') || '-' || lpad(to_hex(n & 65535), 4, '0') || '-7000-8000-' || lpad(to_hex(n), 12, '0'),
       data::jsonb, ${SIZE}, u.id, 1700000000000 + n, 1700000000000 + n, data
     from (select n, format('{"code":"code %s","price":%s,"status":"%s"}', n, n::bigint * ${STEP} % $1::int,
       case n % 3 when 0 then 'open' when 1 then 'done' else 'late' end) as data
       from generate_series(0, $1::int - 1) as n) as made, collections as c, users as u`,
    [count],
  );
  await client.query(COUNT.replaceAll('$1', '$1::bigint'), [count]);
  await client.query('vacuum analyze records');
  await client.end();
}
