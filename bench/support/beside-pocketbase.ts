import type { TestServer } from '../../test/support/server.ts';
import { atLeast, type Figure, type Report, toRows, type Values } from '../report/figure.ts';
import type { Bench } from './bench.ts';
import {
  installPocketbase,
  POCKETBASE_MISSING,
  POCKETBASE_SYNC,
  type Pocketbase,
  startPocketbase,
} from './pocketbase.ts';
import type { RawEngine } from './raw-records.ts';
import { measureInTurns, type Peer, requireFigures } from './turns.ts';

/** The same requests to Quire and to PocketBase, in turns. */

const QUIRE = 'Quire';
const POCKETBASE = 'PocketBase';
const RATIO = 'Requests/s, of PocketBase';
const REQUESTS = 'Requests/s, Quire / PocketBase';
const P99 = 'p99 in ms, Quire / PocketBase';
const CPU = 'CPU time per request in µs, Quire / PocketBase';

/** The number of connections for each. */
const TASKS = { create: 50, 'list out of few': 8, 'list out of many': 8, read: 8 };
type Task = keyof typeof TASKS;
const ROWS: Record<Task, string> = {
  create: 'create, durable / not durable',
  'list out of few': 'list of 20 out of 10,000',
  'list out of many': 'list of 20 out of a million',
  read: 'read one out of a million',
};
const NAMES = Object.values(ROWS);
const FEW = 10_000;

export const pocketbaseFigures: Figure[] = [
  { name: RATIO, digits: 1, rows: toRows(NAMES, atLeast(1)) },
  { name: REQUESTS, digits: 0, rows: toRows(NAMES) },
  { name: P99, digits: 1, rows: toRows(NAMES) },
  { name: CPU, digits: 0, rows: toRows(NAMES) },
];

/** Starts a Quire with a full collection `many` and an empty collection `few`. */
interface Scene {
  server: TestServer;
  token: string;
  pageId: number;
  raw: RawEngine;
}

export async function besidePocketbase(bench: Bench, scene: Scene): Promise<Report> {
  const program = await installPocketbase(bench);
  if (!program) return { note: POCKETBASE_MISSING, values: {} };
  const other = await startPocketbase(bench, program);
  for (const name of ['created', 'few', 'many']) await other.createCollection(name);
  other.fill('few', FEW);
  other.fill('many', bench.pick(1_000_000, 50_000));
  await scene.raw.fill('few', FEW);
  const values: Values = {};
  for (const task of Object.keys(TASKS) as Task[]) {
    const measured = await measureInTurns([await atQuire(scene, task), await atPocketbase(other, task)], {
      rounds: bench.pick(3, 1),
      seconds: bench.pick(4, 1),
      warmUpSeconds: bench.pick(2, 1),
      connections: TASKS[task],
      cores: '0,1',
    });
    const [ours, theirs] = [requireFigures(measured, QUIRE), requireFigures(measured, POCKETBASE)];
    const add = (figure: string, value: number | number[]) => {
      values[figure] = { ...values[figure], [ROWS[task]]: value };
    };
    add(RATIO, ours.requestsPerSecond / theirs.requestsPerSecond);
    add(REQUESTS, [ours.requestsPerSecond, theirs.requestsPerSecond]);
    add(P99, [ours.p99Ms, theirs.p99Ms]);
    add(CPU, [ours.cpuMicroseconds, theirs.cpuMicroseconds]);
  }
  await other.stop();
  return { note: POCKETBASE_SYNC, values };
}

const DATA = { title: 'A record', done: false, tags: ['one', 'two'], n: 42 };

async function atQuire({ server, token, pageId }: Scene, task: Task): Promise<Peer> {
  const base = `http://127.0.0.1:${server.port}/api/pages/${pageId}/social-data`;
  const peer = { name: QUIRE, host: `localhost:${server.port}`, pids: () => [server.pid] };
  if (task === 'create') {
    const headers = [`Authorization: Bearer ${token}`];
    return { ...peer, url: `${base}/created`, headers, body: JSON.stringify({ data: DATA }) };
  }
  if (task === 'list out of few') return { ...peer, url: `${base}/few?limit=20` };
  if (task === 'list out of many') return { ...peer, url: `${base}/many?limit=20` };
  const { records } = await read<{ records: Array<{ id: string }> }>(`${base}/many?limit=1&offset=1000`);
  return { ...peer, url: `${base}/many/${records[0]?.id}` };
}

/** Newest first with the total, like ours. */
async function atPocketbase({ port, pid }: Pocketbase, task: Task): Promise<Peer> {
  const base = `http://127.0.0.1:${port}/api/collections`;
  const peer = { name: POCKETBASE, host: `127.0.0.1:${port}`, pids: () => [pid] };
  const list = 'records?perPage=20&sort=-@rowid';
  if (task === 'create') return { ...peer, url: `${base}/created/records`, body: JSON.stringify(DATA) };
  if (task === 'list out of few') return { ...peer, url: `${base}/few/${list}` };
  if (task === 'list out of many') return { ...peer, url: `${base}/many/${list}` };
  const { items } = await read<{ items: Array<{ id: string }> }>(`${base}/many/${list}`);
  return { ...peer, url: `${base}/many/records/${items[0]?.id}` };
}

async function read<T>(url: string): Promise<T> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url} answered ${response.status} ${await response.text()}`);
  return (await response.json()) as T;
}
