import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { environment } from '../support/environment.ts';
import { readJobs, receiveJobs } from '../support/functions/received-jobs.ts';
import { type FunctionServer, startFunctionServer } from '../support/functions/server.ts';
import { TRANSACTIONS } from '../support/functions/transactions.ts';
import { call, login, publish } from '../support/http/client.ts';
import { startServer, waitUntil } from '../support/server.ts';

/** Exports, moments and backups while functions have transactions open and jobs in progress. */

const LAUNCHER = join(import.meta.dir, '../../bin/launch.ts');
/** How many transactions are committed between two copies. */
const BETWEEN = 2;

let folder: string;
let server: FunctionServer;
const jobs = receiveJobs();
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quire-copies-'));
  server = await startFunctionServer({ dataFolder: join(folder, 'data') });
}, 120_000);
afterAll(async () => {
  jobs.stop();
  await server.stop();
  rmSync(folder, { recursive: true });
});

async function quire(words: string[], settings: Record<string, string> = {}): Promise<void> {
  const child = Bun.spawn([process.execPath, LAUNCHER, ...words], {
    cwd: folder,
    env: { ...environment, PORT: String(server.port), QUIRE_DATA: server.dataFolder, ...settings },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const trouble = await new Response(child.stderr).text();
  if ((await child.exited) !== 0) throw new Error(trouble);
}

test('have whole transactions only, and jobs whose work had begun are done after a restore', async () => {
  const { token } = server.owner;
  const slug = await server.deploy(TRANSACTIONS, { enableDatabase: true });
  await server.sql(slug, 'CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT)');
  const page = await publish(server, token, { name: 'Copied', functions: [slug] });
  const worker = await server.deploy(jobs.code());
  jobs.hold();
  await server.call(worker, { body: { message: 'begun' } });
  await jobs.until((got) => got.length === 1);
  await server.call(worker, { body: { message: 'later', options: { delaySeconds: 600 } } });

  // Each writes a row, waits, and writes another. So one is open almost always.
  let committed = 0;
  let isOver = false;
  const writing = (async () => {
    while (!isOver) {
      const { status, body } = await server.call(slug, { body: { run: 'inTime' } });
      if (status === 200 && body.error === undefined) committed++;
    }
  })();
  const some = async () => {
    const before = committed;
    await waitUntil(async () => committed >= before + BETWEEN);
  };
  const count = async (of: { sql: FunctionServer['sql'] }): Promise<number> =>
    (await of.sql(slug, 'SELECT count(*) AS n FROM notes')).body.results[0].n;
  const path = `/api/pages/${page.id}`;

  await some();
  const kept = await call(server, 'POST', `${path}/moments`, { token, body: { name: 'Open' } });
  expect(kept.status).toBe(201);
  const atLeast = 2 * committed;
  await some();
  const exported = await fetch(`http://127.0.0.1:${server.port}/api/functions/${slug}/database/export`, {
    headers: { authorization: `Bearer ${token}` },
  });
  const inserts = (await exported.text()).match(/INSERT INTO/g)?.length ?? 0;
  expect([inserts % 2, inserts >= atLeast]).toEqual([0, true]);
  await some();
  const committedBefore = committed;
  await quire(['backup', 'copy.tar.gz']);
  await some();
  const restored = await call(server, 'POST', `${path}/restore`, { token, body: { at: kept.body.at } });
  expect([restored.status, restored.body.changes.databases]).toEqual([200, [slug]]);
  await some();
  isOver = true;
  await writing;
  expect((await count(server)) % 2).toBe(0);

  const dataFolder = join(folder, 'restored');
  await quire(['restore', join(folder, 'copy.tar.gz')], { QUIRE_DATA: dataFolder });
  jobs.release();
  const settings = { QUIRE_EGRESS_ALLOW: '127.0.0.1/32' };
  const copy = await startServer({ dataFolder, settings });
  try {
    await login(copy, 'owner');
    const sql: FunctionServer['sql'] = (name, text) =>
      call(copy, 'POST', `/api/functions/${name}/database`, { token, body: { sql: text } });
    const rows = await count({ sql });
    expect([rows % 2, rows >= 2 * committedBefore]).toEqual([0, true]);
    await jobs.until((got) => got.includes('2 begun'));
    const owner = {
      call: (method: string, at: string) => call(copy, method, at, { token }),
    } as Parameters<typeof readJobs>[0];
    await waitUntil(async () => (await readJobs(owner, worker)).running === 0);
    expect(await readJobs(owner, worker)).toMatchObject({
      waiting: 1,
      failed: 0,
      jobs: [{ preview: '"later"', tries: 0 }],
    });
  } finally {
    await copy.stop();
  }
}, 240_000);
