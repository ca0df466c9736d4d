import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Destination } from '../../server/platform/replica/destination/destination.ts';
import { listDatabases } from '../../server/platform/replica/history.ts';
import { openDestination } from '../../server/platform/replica/index.ts';
import { restoreDatabase } from '../../server/platform/replica/restore/restore-database.ts';
import { descendants, isRunning } from '../support/faults/process.ts';
import { isSoak, ROUNDS_MS, rounds } from '../support/faults/rounds.ts';
import { helpers } from '../support/functions/server.ts';
import { call, register } from '../support/http/client.ts';
import { startServer, type TestServer, waitUntil } from '../support/server.ts';

/** What a replica has of a function's database while everything around it is killed. */

const SLUG = 'replicawrites';
const WRITE = `export default { async fetch(request, env) {
  await env.DB.exec('CREATE TABLE IF NOT EXISTS hits (id INTEGER PRIMARY KEY, text TEXT)');
  await env.DB.prepare('INSERT INTO hits (text) VALUES (hex(randomblob(300)))').run();
  return Response.json(await env.DB.prepare('SELECT max(id) AS id FROM hits').first());
} };`;
const WRITERS = 4;
const MIN_WRITES = 30;
const MAX_WRITING_MS = 3_000;
/** A machine that other tests keep busy cannot prove what is promised, so only soaks do. */
const PROMISED_MS = 2_000;

const VICTIMS = ['shipper', 'database host', 'server'] as const;
type Victim = (typeof VICTIMS)[number];

test(
  'a shipper, a database host and a server that are killed under load leave a whole database, which is soon complete',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'quire-killed-'));
    const options = {
      dataFolder: join(folder, 'data'),
      settings: {
        QUIRE_REPLICA: `file://${join(folder, 'replica')}`,
        QUIRE_QUOTA_BYTES: '0',
        QUIRE_FUNCTION_CALLS_PER_MINUTE: '0',
        QUIRE_LOG_LEVEL: 'warn',
      },
    };
    const destination = openDestination({ kind: 'folder', folder: join(folder, 'replica') });
    let server = await startServer(options);
    try {
      const { token } = await register(server, 'replicadatabases');
      const body = { slug: SLUG, code: WRITE, enableDatabase: true };
      expect((await call(server, 'POST', '/api/functions', { token, body })).status).toBe(201);
      const lost: number[] = [];
      for (let round = 0; round < rounds(3, 60); round++) {
        const victim = VICTIMS[round % 3] ?? 'server';
        const { written, killedAt } = await writeUntilKilled(server, token, victim);
        const { ids } = await restore(destination, folder);
        const missing = written.filter(({ id }) => !ids.has(id));
        if (ids.size > 0 && missing.length > 0)
          lost.push(killedAt - Math.min(...missing.map(({ at }) => at)));
        if (isSoak) console.log(`round ${round}: killed the ${victim}, ${missing.length} not there yet`);
        if (victim === 'server') server = await startServer(options);
        const { id } = await write(server, token);
        await waitUntil(async () => (await restore(destination, folder)).ids.has(id));
        const found = await restore(destination, folder);
        expect(written.filter((each) => !found.ids.has(each.id))).toEqual([]);
      }
      expect(await server.stop()).toBe(0);
      if (isSoak) {
        console.log(`at most ${Math.round(Math.max(...lost))} ms were not there`);
        expect(Math.max(...lost)).toBeLessThan(PROMISED_MS);
      }
    } finally {
      await server.kill();
      rmSync(folder, { recursive: true, force: true });
    }
  },
  ROUNDS_MS,
);

test('a server that is stopped ships what functions wrote last', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'quire-stopped-'));
  const settings = { QUIRE_REPLICA: `file://${join(folder, 'replica')}` };
  const destination = openDestination({ kind: 'folder', folder: join(folder, 'replica') });
  const server = await startServer({ dataFolder: join(folder, 'data'), settings });
  try {
    const { token } = await register(server, 'replicastopped');
    const body = { slug: SLUG, code: WRITE, enableDatabase: true };
    expect((await call(server, 'POST', '/api/functions', { token, body })).status).toBe(201);
    await write(server, token);
    await waitUntil(async () => (await restore(destination, folder)).ids.size === 1);
    const { id } = await write(server, token);
    expect(await server.stop()).toBe(0);
    expect((await restore(destination, folder)).ids.has(id)).toBe(true);
  } finally {
    await server.kill();
    rmSync(folder, { recursive: true, force: true });
  }
}, 120_000);

/** Calls the function until it has written. */
async function write(server: TestServer, token: string): Promise<{ id: number }> {
  let id: number | undefined;
  await waitUntil(async () => {
    const response = await call(server, 'POST', `/api/functions/${SLUG}`, { token });
    if (response.status === 200) id = response.body.id;
    return id !== undefined;
  });
  return { id: id ?? 0 };
}

async function writeUntilKilled(server: TestServer, token: string, victim: Victim) {
  const written: Array<{ id: number; at: number }> = [];
  let isOver = false;
  const writing = Array.from({ length: WRITERS }, async () => {
    while (!isOver) {
      const response = await call(server, 'POST', `/api/functions/${SLUG}`, { token }).catch(() => undefined);
      if (response?.status === 200) written.push({ id: response.body.id, at: Date.now() });
      if (!response) return;
    }
  });
  await waitUntil(async () => written.length >= MIN_WRITES);
  await Bun.sleep(Math.random() * MAX_WRITING_MS);
  const chosen = findVictims(server, victim);
  expect(chosen.length).toBeGreaterThan(0);
  const killedAt = Date.now();
  for (const pid of chosen) kill(pid);
  if (victim === 'server') await server.kill();
  isOver = true;
  await Promise.all(writing);
  await waitUntil(async () => !chosen.some(isRunning));
  return { written, killedAt };
}

/** A server that is lost with its machine takes all its processes with it. */
function findVictims(server: TestServer, victim: Victim): number[] {
  if (victim === 'database host')
    return helpers(server).flatMap(({ pid, kind }) => (kind === victim ? [pid] : []));
  const pids = descendants(server.pid);
  return victim === 'server' ? pids : pids.filter((pid) => readCommand(pid).includes('replica.process'));
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended with another one.
  }
}

function readCommand(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1');
  } catch {
    return '';
  }
}

/** The rows of the database in the replica. */
async function restore(destination: Destination, folder: string): Promise<{ ids: Set<number> }> {
  const [segments] = [...(await listDatabases(destination)).values()];
  if (!segments) return { ids: new Set() };
  const into = mkdtempSync(join(folder, 'restored-'));
  const to = join(into, 'database.sqlite');
  expect(await restoreDatabase(destination, segments, Number.MAX_SAFE_INTEGER, to)).toMatchObject({
    isOlder: false,
  });
  const database = new Database(to);
  try {
    expect(database.query('PRAGMA integrity_check').values()).toEqual([['ok']]);
    const hasTable = database.query("SELECT 1 FROM sqlite_schema WHERE name = 'hits'").get() !== null;
    const rows = hasTable ? database.query('SELECT id FROM hits').values() : [];
    return { ids: new Set(rows.map(([id]) => Number(id))) };
  } finally {
    database.close();
    rmSync(into, { recursive: true, force: true });
  }
}
