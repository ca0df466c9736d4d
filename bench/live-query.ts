import { call, publish, register } from '../test/support/http/client.ts';
import { startServer, type TestServer } from '../test/support/server.ts';
import { atMost, type Figure, type Report, toRows } from './report/figure.ts';
import type { Bench } from './support/bench.ts';
import { residentMiB, startCpuMeter } from './support/process.ts';
import { percentile } from './support/table.ts';

/** A thousand tabs that follow one grouped query of a function: every write is one run for all of them. */

const SLUG = 'results';
const POLL = `export default { async fetch(request, env) {
  const { results } = await env.DB.prepare('SELECT choice, count(*) AS n FROM votes GROUP BY choice').all();
  return Response.json(results);
} }`;
const ROWS = 10_000;
const CHOICES = 100;
const START_MS = 60_000;

const P50 = 'Write sent to result received, p50 in ms';
const P99 = 'Write sent to result received, p99 in ms';
const COST = 'Cost of a write';
/** What the write, the run of the function and the machine take, without the other tabs. */
const FIRST = 'Quire, the first tab of each write';

export const figures: Figure[] = [
  { name: P50, digits: 1, rows: toRows(['Quire', FIRST]) },
  { name: P99, digits: 1, rows: { ...toRows(['Quire'], atMost(150)), ...toRows([FIRST]) } },
  {
    name: COST,
    digits: 2,
    rows: {
      'runs per write': atMost(1),
      'µs of CPU time per tab': undefined,
      'KB of memory per tab': undefined,
    },
  },
];

export default async function liveQuery(bench: Bench): Promise<Report> {
  const [tabs, writes] = [bench.pick(1_000, 200), bench.pick(100, 20)];
  const server = await startServer({ settings: { QUIRE_FUNCTION_CALLS_PER_MINUTE: '0' } });
  bench.atEnd(server.stop);
  const { token } = await register(server, 'bench');
  const page = await publish(server, token, { name: 'Poll' });
  await call(server, 'POST', '/api/functions', {
    token,
    body: { slug: SLUG, code: POLL, enableDatabase: true, isPublic: true },
  });
  const sql = (text: string) =>
    call(server, 'POST', `/api/functions/${SLUG}/database`, { token, body: { sql: text } });
  await sql('CREATE TABLE votes (choice TEXT)');
  await sql(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${ROWS}) INSERT INTO votes SELECT 'choice ' || (i % ${CHOICES}) FROM n`,
  );
  const before = residentMiB(server.pid);
  let receive: () => void = () => undefined;
  for (let opened = 0; opened < tabs; opened += 100) {
    const opening = Array.from({ length: Math.min(100, tabs - opened) }, () =>
      follow(server, page.id, () => receive()),
    );
    for (const close of await Promise.all(opening)) bench.atEnd(async () => close());
  }
  const open = residentMiB(server.pid);
  const countRuns = async () =>
    (await call(server, 'GET', `/api/functions/${SLUG}/stats`, { token })).body.totals.calls as number;
  const runsBefore = await countRuns();
  const cpuSince = startCpuMeter([server.pid]);
  const delays: number[] = [];
  const first: number[] = [];
  for (let n = 0; n < writes; n++) {
    const all = Promise.withResolvers<void>();
    const sentAt = performance.now();
    let waiting = tabs;
    receive = () => {
      const delay = performance.now() - sentAt;
      if (waiting === tabs) first.push(delay);
      delays.push(delay);
      if (--waiting === 0) all.resolve();
    };
    void sql(`INSERT INTO votes VALUES ('choice ${n % CHOICES}')`);
    await within(all.promise, () => `only ${tabs - waiting} of ${tabs} tabs got a result`);
    // The next write comes when another run may begin.
    await Bun.sleep(150);
  }
  const cpu = cpuSince();
  const runs = (await countRuns()) - runsBefore;
  return {
    note: `${tabs.toLocaleString('en')} tabs, ${writes} writes to ${ROWS.toLocaleString('en')} rows in ${CHOICES} groups; all ${delays.length.toLocaleString('en')} results arrived.`,
    values: {
      [P50]: { Quire: percentile(delays, 50), [FIRST]: percentile(first, 50) },
      [P99]: { Quire: percentile(delays, 99), [FIRST]: percentile(first, 99) },
      [COST]: {
        'runs per write': runs / writes,
        'µs of CPU time per tab': (cpu / delays.length) * 1e6,
        'KB of memory per tab': ((open.all - before.all) * 1024) / tabs,
      },
    },
  };
}

async function within(work: Promise<void>, say: () => string): Promise<void> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(say())), START_MS);
  await Promise.race([work, promise]).finally(() => clearTimeout(timer));
}

/** Follows the query over a plain socket, which is cheaper than a fetch. Resolves when the tab has the first result. */
function follow(server: TestServer, pageId: number, receive: () => void): Promise<() => void> {
  const body = JSON.stringify({ calls: [{ id: 'a', function: SLUG, body: {} }] });
  const head = [
    `POST /api/pages/${pageId}/live-calls HTTP/1.1`,
    `host: localhost:${server.port}`,
    'content-type: application/json',
    `content-length: ${body.length}`,
  ].join('\r\n');
  return new Promise((resolve, reject) => {
    let rest = '';
    let isOpen = false;
    void Bun.connect({
      hostname: '127.0.0.1',
      port: server.port,
      socket: {
        open(socket) {
          socket.write(`${head}\r\n\r\n${body}`);
        },
        data(socket, chunk) {
          const blocks = (rest + chunk.toString()).split('\n\n');
          rest = blocks.pop() ?? '';
          for (const block of blocks) {
            if (block.includes('"error":')) reject(new Error(block));
            if (!block.includes('"result":')) continue;
            if (isOpen) receive();
            else resolve(() => socket.end());
            isOpen = true;
          }
        },
        error: (_, error) => reject(error),
        connectError: (_, error) => reject(error),
      },
    });
  });
}
