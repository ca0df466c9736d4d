import type { Branch } from '../contract/pages/branches/branches.ts';
import { descendants } from '../test/support/faults/process.ts';
import { call, publish, register } from '../test/support/http/client.ts';
import { startServer, type TestServer, waitUntil } from '../test/support/server.ts';
import { type Figure, type Report, toRows } from './report/figure.ts';
import type { Bench } from './support/bench.ts';
import { sendAtRate } from './support/own-load.ts';
import { residentMiB } from './support/process.ts';
import { percentile } from './support/table.ts';

/** Five branches of a page with many records at once, while others write, and the merge of a table with many rows. */

const NAMES = ['a', 'b', 'c', 'd', 'e'];
const BATCH = 100;
const WRITES_PER_SECOND = 20;
const BEFORE_SECONDS = 15;
const LOOK_MS = 100;
/** A merge waits for what it runs. */
const LONG_MS = 15 * 60_000;

const READY = 'Five branches at once, seconds until ready';
const WRITERS = 'Writes to the page, ms, p50 / p99';
const MERGE = 'Merge of a table that both sides changed, seconds';
const MEMORY = 'Memory meanwhile, MiB';

export const figures: Figure[] = [
  { name: READY, digits: 1, rows: toRows(['the first', 'all']) },
  { name: WRITERS, digits: 1, rows: toRows(['before', 'while the branches are made']) },
  { name: MERGE, digits: 1, rows: toRows(['dry run', 'merge']) },
  { name: MEMORY, digits: 0, rows: toRows(['largest process of the merge', 'the server, more than before']) },
];

export const minutes = 40;

interface Client {
  server: TestServer;
  token: string;
  ask(method: string, path: string, body?: object): Promise<Answer>;
}
// biome-ignore lint/suspicious/noExplicitAny: bodies of any shape
type Answer = any;

export default async function largeBranches(bench: Bench): Promise<Report> {
  const client = await start(bench);
  const records = bench.pick(100_000, 3_000);
  const { ready, writers } = await measureBranches(client, records);
  console.error({ ready, writers });
  const rows = bench.pick(1_000_000, 20_000);
  const { seconds, memory, changed } = await measureMerge(client, rows);
  console.error({ seconds, memory, changed });
  return {
    note: `SQLite; 5 branches of ${records.toLocaleString('en')} records, ${WRITES_PER_SECOND} writes a second; ${changed}.`,
    values: { [READY]: ready, [WRITERS]: writers, [MERGE]: seconds, [MEMORY]: memory },
  };
}

async function start(bench: Bench): Promise<Client> {
  const server = await startServer({
    settings: {
      ...{ QUIRE_QUOTA_BYTES: '0', QUIRE_WRITES_PER_MINUTE: '0', QUIRE_FUNCTION_CALLS_PER_MINUTE: '0' },
      QUIRE_CHROMIUM: 'off',
    },
  });
  bench.atEnd(server.stop);
  const { token } = await register(server, 'bench');
  return {
    ...{ server, token },
    async ask(method, path, body) {
      const answer = await call(server, method, path, { token, timeoutMs: LONG_MS, ...(body && { body }) });
      if (answer.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`);
      return answer.body;
    },
  };
}

async function measureBranches({ server, token, ask }: Client, records: number) {
  const { id } = await publish(server, token, { name: 'Large', storage_mode: 'social_app' });
  const notes = `/api/pages/${id}/social-data/notes`;
  for (let first = 0; first < records; first += BATCH) {
    const operations = Array.from({ length: BATCH }, (_, at) => ({
      ...{ op: 'create', data: { n: first + at, text: 'a text of some length, as people write it' } },
    }));
    await ask('POST', `${notes}/batch`, { operations });
  }
  const headers = {
    ...{ host: `localhost:${server.port}`, authorization: `Bearer ${token}` },
    'content-type': 'application/json',
  };
  let times: number[] = [];
  const write = async () => {
    const sentAt = performance.now();
    const body = JSON.stringify({ data: { n: -1, text: 'written meanwhile' } });
    const response = await fetch(`http://127.0.0.1:${server.port}${notes}`, {
      method: 'POST',
      headers,
      body,
    });
    times.push(performance.now() - sentAt);
    return response;
  };
  const summarize = () => [percentile(times, 50), percentile(times, 99)];
  await sendAtRate(write, { perSecond: WRITES_PER_SECOND, seconds: BEFORE_SECONDS });
  const before = summarize();

  times = [];
  const branches = `/api/pages/${id}/branches`;
  const startedAt = performance.now();
  const passed = () => (performance.now() - startedAt) / 1000;
  let isMade = false;
  const making = Promise.all(NAMES.map((name) => ask('POST', branches, { name, data: 'all' }))).then(() => {
    isMade = true;
  });
  let first: number | undefined;
  let isReady = false;
  const writing = (async () => {
    while (!isReady) await sendAtRate(write, { perSecond: WRITES_PER_SECOND, seconds: 1 });
  })();
  await waitUntil(async () => {
    const mustHaveAll = isMade;
    const all: Branch[] = (await ask('GET', branches)).branches;
    const ready = all.filter(({ state }) => state === 'ready').length;
    if (ready > 0) first ??= passed();
    if (mustHaveAll && all.length < NAMES.length) throw new Error(`a branch is gone: ${server.output()}`);
    await Bun.sleep(LOOK_MS);
    return ready === NAMES.length;
  }, LONG_MS);
  const all = passed();
  isReady = true;
  await Promise.all([making, writing]);
  for (const name of NAMES) await ask('DELETE', `${branches}/${name}`);
  return {
    ready: { 'the first': first ?? all, all },
    writers: { before, 'while the branches are made': summarize() },
  };
}

const CODE = `export default { fetch: () => new Response('here') };`;

async function measureMerge({ server, token, ask }: Client, rows: number) {
  await ask('POST', '/api/functions', { slug: 'rows', code: CODE, enableDatabase: true });
  const sql = (slug: string, text: string) =>
    ask('POST', `/api/functions/${slug}/database`, { sql: text }).then(({ results }) => results);
  await sql('rows', 'create table items (id integer primary key, name text, price integer, note text)');
  const piece = Math.min(rows, 50_000);
  for (let first = 1; first <= rows; first += piece)
    await sql(
      'rows',
      `with recursive n (i) as (select ${first} union all select i + 1 from n where i < ${first + piece - 1})
        insert into items select i, 'item ' || i, i % 1000, 'a note of some length' from n`,
    );
  const { id } = await publish(server, token, { name: 'Rows' });
  await ask('PATCH', `/api/pages/${id}`, { functions: ['rows'] });
  const path = `/api/pages/${id}/branches`;
  await ask('POST', path, { name: 'rows', data: 'all' });
  await waitUntil(async () => (await ask('GET', `${path}/rows`)).state === 'ready', LONG_MS);
  // Each side changes another column of half of the rows, some of them the same ones.
  for (let first = 1; first <= rows; first += piece) {
    const range = `id between ${first} and ${first + piece - 1}`;
    await sql('rows--rows', `update items set name = name || ' of the branch' where ${range} and id % 2 = 0`);
    await sql('rows', `update items set price = price + 1 where ${range} and id % 4 < 2`);
  }
  const before = residentMiB(server.pid).all;
  const watch = watchMemory(server.pid);
  const refusals: string[] = [];
  const run = async (dry_run: boolean) => {
    const startedAt = performance.now();
    const { status, body } = await call(server, 'POST', `${path}/rows/merge`, {
      ...{ token, timeoutMs: LONG_MS, body: { dry_run, tables: ['items'] } },
    });
    if (status >= 300) refusals.push(`${dry_run ? 'dry run' : 'merge'} refused: ${body.error}`);
    return (performance.now() - startedAt) / 1000;
  };
  const seconds = { 'dry run': await run(true), merge: await run(false) };
  const { largest, own } = watch.stop();
  const [found] = await sql(
    'rows',
    `select count(*) as n, sum(name like '% of the branch') as named, sum(price = id % 1000 + 1) as priced from items`,
  );
  // All of it, or nothing.
  const named = refusals.length > 0 ? 0 : rows / 2;
  const wanted = JSON.stringify({ n: rows, named, priced: rows / 2 });
  if (JSON.stringify(found) !== wanted) throw new Error(`merged ${JSON.stringify(found)}`);
  return {
    seconds,
    memory: { 'largest process of the merge': largest, 'the server, more than before': own - before },
    changed: [`${rows.toLocaleString('en')} rows, of which each side changed half`, ...refusals].join('; '),
  };
}

/** Looks how much memory a server takes, and the largest of the processes that it starts from now on. */
function watchMemory(pid: number) {
  const known = new Set(descendants(pid));
  let [largest, own] = [0, 0];
  const read = (each: number) => {
    try {
      return residentMiB(each).all || 0;
    } catch {
      // It has ended meanwhile.
      return 0;
    }
  };
  const timer = setInterval(() => {
    own = Math.max(own, read(pid));
    for (const each of descendants(pid)) if (!known.has(each)) largest = Math.max(largest, read(each));
  }, LOOK_MS);
  return {
    stop() {
      clearInterval(timer);
      return { largest, own };
    },
  };
}
