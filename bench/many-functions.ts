import { Database } from 'bun:sqlite';
import { type FunctionServer, helpers } from '../test/support/function-server.ts';
import type { Bench } from './run.ts';
import { needCommands } from './support/debian.ts';
import { residentMiB } from './support/process.ts';
import { startQuire } from './support/quire.ts';
import { median, table } from './support/table.ts';
import { runLoad } from './support/wrk.ts';

/** Ten thousand functions, 64 of them running: how fast the server starts, and what it and the cells keep in memory. */

const FUNCTIONS = 10_000;
const LIVE = 64;
const CODE_BYTES = 4 * 1024;

/** Grows by what it is called with, as one that caches does, up to some 80 MB. */
const CODE = `const kept = [];
  export default {
    async fetch(request) {
      const { size } = await request.json();
      if (kept.length < 80) kept.push(new Uint8Array(size).fill(1));
      return Response.json(kept.length);
    },
  };`.padEnd(CODE_BYTES);
const BURST_BODY = JSON.stringify({ size: 1024 ** 2 });

const BURST_CELLS = 8;
const BURST_SECONDS = 2;
const BURST_CONNECTIONS = 16;
/** After so long a rest, a cell that has grown must have given its memory back. */
const REST_SECONDS = 60;
const THIN_MIB = 60;

export default async function manyFunctions(bench: Bench): Promise<string> {
  await needCommands({ wrk: 'wrk', taskset: 'util-linux', bwrap: 'bubblewrap' });
  const options = {
    dataFolder: `${bench.folder}/data`,
    settings: { QUIRE_CELLS: String(LIVE), QUIRE_CELLS_PER_OWNER: String(LIVE) },
  };
  const first = await startQuire(bench, options);
  const slug = await first.deploy(CODE);
  await first.stop();
  const slugs = copyFunction(`${options.dataFolder}/quire.db`, slug);

  const startedAt = performance.now();
  const server = await startQuire(bench, { ...options, owner: first.owner });
  const startSeconds = (performance.now() - startedAt) / 1000;
  const memory: string[][] = [];
  const noteServer = (when: string) =>
    memory.push([`server ${when}`, mib(residentMiB(server.pid).all), '250 MB']);
  const noteCells = (when: string, goal: string) => {
    const sizes = cellsMiB(server);
    memory.push([`cells ${when}: median`, mib(median(sizes)), goal]);
    memory.push([`cells ${when}: largest`, mib(Math.max(...sizes)), goal]);
  };

  noteServer('after the start');
  for (const name of slugs.slice(0, LIVE)) await call(server, name);
  const cells = cellsMiB(server).length;
  noteServer(`with ${cells} cells`);
  noteCells('when fresh', '20 MB');
  for (const name of slugs.slice(0, BURST_CELLS)) await burst(server, name);
  noteServer('after the bursts');
  noteCells('after the bursts', '');
  const restSeconds = await restUntilThin(server);
  noteCells(`after ${restSeconds} s of rest`, '60 MB');
  await (await fetch(`http://127.0.0.1:${server.port}/api/functions`)).bytes();
  noteServer('after listing all functions');

  return [
    `${FUNCTIONS.toLocaleString('en')} functions of ${CODE_BYTES / 1024} KB, ${cells} of them running;`,
    `bursts of ${BURST_SECONDS} s on ${BURST_CELLS} of the cells; of cells, memory of their own`,
    '',
    table(
      ['', 'measured', 'goal: below'],
      [['server, spawn to ready', `${startSeconds.toFixed(2)} s`, '3 s'], ...memory],
    ),
  ].join('\n');
}

/** Writes copies into the database of a server that is stopped: deploying them all would take minutes. */
function copyFunction(path: string, slug: string): string[] {
  const database = new Database(path);
  try {
    const template = database.query('SELECT * FROM functions WHERE slug = ?').get(slug) as Row;
    const { id: _, ...values } = template;
    const columns = Object.keys(values);
    const insert = database.query(
      `INSERT INTO functions (${columns.join(', ')}) VALUES (${columns.map((column) => `$${column}`).join(', ')})`,
    );
    const slugs = Array.from({ length: FUNCTIONS - 1 }, (_, n) => `copy-${n + 1}`);
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

async function burst(server: FunctionServer, slug: string): Promise<void> {
  await runLoad({
    url: `http://127.0.0.1:${server.port}/api/functions/${slug}`,
    host: `localhost:${server.port}`,
    body: BURST_BODY,
    connections: BURST_CONNECTIONS,
    seconds: BURST_SECONDS,
    cores: '0,1',
  });
}

/** Rests until every cell that is left is thin, or the time is over; says how many seconds that took. */
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

function mib(size: number): string {
  return `${Math.round(size)} MB`;
}
