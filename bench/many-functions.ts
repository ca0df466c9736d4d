import { Database } from 'bun:sqlite';
import { type FunctionServer, helpers } from '../test/support/functions/server.ts';
import { atMost, type Figure, type Report, toRows } from './report/figure.ts';
import type { Bench } from './support/bench.ts';
import { needCommands } from './support/debian.ts';
import { residentMiB } from './support/process.ts';
import { startQuire } from './support/quire.ts';
import { median } from './support/table.ts';
import { runLoad } from './support/wrk.ts';

/** Ten thousand functions, 64 of them running: how fast the server starts, and what it and the cells keep in memory. */

const CODE_BYTES = 4 * 1024;

/** Grows with each call, like a function with a cache, to about 80 MB. */
const CODE = `const kept = [];
  export default {
    async fetch(request) {
      const { size } = await request.json();
      if (kept.length < 80) kept.push(new Uint8Array(size).fill(1));
      return Response.json(kept.length);
    },
  };`.padEnd(CODE_BYTES);
const BURST_BODY = JSON.stringify({ size: 1024 ** 2 });

const BURST_CONNECTIONS = 16;
/** After this long without calls, a cell that has grown must have freed its memory. */
const REST_SECONDS = 60;
const THIN_MIB = 60;

const START = 'Server, spawn to ready in s';
const SERVER = 'Server, resident memory in MB';
const CELLS = 'Cells, private memory in MB, median / largest';
const REST = 'Rest until every cell is below 60 MB in s';
const QUIRE = 'Quire';

export const figures: Figure[] = [
  { name: START, digits: 2, rows: toRows([QUIRE], atMost(3)) },
  {
    name: SERVER,
    digits: 0,
    rows: toRows(
      ['after the start', 'with all cells', 'after the bursts', 'after listing all functions'],
      atMost(250),
    ),
  },
  {
    name: CELLS,
    digits: 0,
    rows: { fresh: atMost(20, 1), 'after the bursts': undefined, 'after the rest': atMost(60, 1) },
  },
  { name: REST, digits: 0, rows: toRows([QUIRE], atMost(REST_SECONDS)) },
];

export default async function manyFunctions(bench: Bench): Promise<Report> {
  await needCommands({ wrk: 'wrk', taskset: 'util-linux', bwrap: 'bubblewrap' });
  const [count, live] = [bench.pick(10_000, 1_000), bench.pick(64, 8)];
  const [burstCells, burstSeconds] = [bench.pick(8, 2), bench.pick(2, 1)];
  const options = {
    dataFolder: `${bench.folder}/data`,
    settings: { QUIRE_CELLS: String(live), QUIRE_CELLS_PER_OWNER: String(live) },
  };
  const first = await startQuire(bench, options);
  const slug = await first.deploy(CODE);
  await first.stop();
  const slugs = copyFunction(`${options.dataFolder}/quire.db`, slug, count);

  const startedAt = performance.now();
  const server = await startQuire(bench, { ...options, owner: first.owner });
  const startSeconds = (performance.now() - startedAt) / 1000;
  const memory: Record<string, number> = {};
  const cells: Record<string, number[]> = {};
  const noteServer = (when: string) => {
    memory[when] = residentMiB(server.pid).all;
  };
  const noteCells = (when: string) => {
    const sizes = cellsMiB(server);
    cells[when] = [median(sizes), Math.max(...sizes)];
  };

  noteServer('after the start');
  for (const name of slugs.slice(0, live)) await call(server, name);
  const running = cellsMiB(server).length;
  noteServer('with all cells');
  noteCells('fresh');
  for (const name of slugs.slice(0, burstCells)) await burst(server, name, burstSeconds);
  noteServer('after the bursts');
  noteCells('after the bursts');
  const restSeconds = await restUntilThin(server);
  noteCells('after the rest');
  await (await fetch(`http://127.0.0.1:${server.port}/api/functions`)).bytes();
  noteServer('after listing all functions');
  return {
    note: `${count.toLocaleString('en')} functions of ${CODE_BYTES / 1024} KB, ${running} of them running; bursts of ${burstSeconds} s on ${burstCells} of the cells.`,
    values: {
      [START]: { [QUIRE]: startSeconds },
      [SERVER]: memory,
      [CELLS]: cells,
      [REST]: { [QUIRE]: restSeconds },
    },
  };
}

/** Writes copies into the database of a stopped server: deploying them all would take minutes. */
function copyFunction(path: string, slug: string, count: number): string[] {
  const database = new Database(path);
  try {
    const template = database.query('SELECT * FROM functions WHERE slug = ?').get(slug) as Row;
    const { id: _, ...values } = template;
    const columns = Object.keys(values);
    const insert = database.query(
      `INSERT INTO functions (${columns.join(', ')}) VALUES (${columns.map((column) => `$${column}`).join(', ')})`,
    );
    const slugs = Array.from({ length: count - 1 }, (_, n) => `copy-${n + 1}`);
    database.transaction(() => {
      for (const copy of slugs) {
        const row: Row = { ...values, slug: copy };
        insert.run(Object.fromEntries(columns.map((column) => [`$${column}`, row[column] ?? null])));
      }
    })();
    return [slug, ...slugs];
  } finally {
    database.close();
  }
}

type Row = Record<string, string | number | null>;

async function call(server: FunctionServer, slug: string): Promise<void> {
  const { status } = await server.call(slug, { body: { size: 0 } });
  if (status !== 200) throw new Error(`${slug} answered ${status}`);
}

async function burst(server: FunctionServer, slug: string, seconds: number): Promise<void> {
  await runLoad({
    url: `http://127.0.0.1:${server.port}/api/functions/${slug}`,
    host: `localhost:${server.port}`,
    body: BURST_BODY,
    connections: BURST_CONNECTIONS,
    seconds,
    cores: '0,1',
  });
}

/** Waits until every remaining cell is small, or the time is up. Returns the seconds that took. */
async function restUntilThin(server: FunctionServer): Promise<number> {
  for (let seconds = 0; ; seconds++) {
    if (seconds === REST_SECONDS || Math.max(...cellsMiB(server)) < THIN_MIB) return seconds;
    await Bun.sleep(1_000);
  }
}

function cellsMiB(server: FunctionServer): number[] {
  return helpers(server)
    .filter(({ kind }) => kind === 'cell')
    .map(({ pid }) => residentMiB(pid).own);
}
