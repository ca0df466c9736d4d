import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setProcessPriority } from '../../server/runtime/workerd/index.ts';
import { descendants, residentMegabytes, watchSurvivors } from '../support/faults/process.ts';
import {
  type FunctionServer,
  HELLO,
  handler,
  helpers,
  runtimeFolder,
  startFunctionServer,
} from '../support/functions/server.ts';
import type { TestResponse } from '../support/http/call.ts';
import { type Account, call, register } from '../support/http/client.ts';
import { waitUntil } from '../support/server.ts';

const ENDLESS = 'WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n';
/** About 25 MB of rows. */
const LARGE =
  "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 90000) SELECT printf('%.*c', 250, 'x') FROM n";

let quire: FunctionServer;
/**
 * The endless statement of the neighbour starts before all other tests, so that its 30 seconds pass
 * meanwhile.
 */
let stubborn: Account;
let stuck: string;
let endless: Promise<TestResponse>;
let hasEnded = false;
beforeAll(async () => {
  quire = await startFunctionServer();
  stubborn = await register(quire, 'stubborn');
  stuck = await quire.deploy(HELLO, { enableDatabase: true }, stubborn);
  await quire.sql(stuck, 'CREATE TABLE t (a)', [], stubborn);
  // It runs at low priority: the tests wait for the time limit, not for the statement.
  for (const { pid, kind } of helpers(quire)) if (kind === 'database host') setProcessPriority(pid, 19);
  endless = quire.sql(stuck, ENDLESS, [], stubborn).finally(() => {
    hasEnded = true;
  });
}, 120_000);
afterAll(() => quire.stop());

const hostMegabytes = () =>
  Math.max(...helpers(quire).map(({ pid, kind }) => (kind === 'database host' ? residentMegabytes(pid) : 0)));

// At the same time: most of the time they wait for a limit.
describe.concurrent('a database', () => {
  test('responds while an endless statement of someone else runs', async () => {
    const slug = await quire.deploy(HELLO, { enableDatabase: true });
    await quire.sql(slug, 'SELECT 1');
    for (let i = 0; i < 20; i++) expect((await quire.sql(slug, 'SELECT 1')).status).toBe(200);
    expect(hasEnded).toBeFalse();
  }, 120_000);

  test('refuses a result that would fill the memory of its host, from one statement or a batch', async () => {
    const slug = await quire.deploy(
      handler(`const { sql, count } = await request.json();
        try {
          const results = await env.DB.batch(Array.from({ length: count }, () => env.DB.prepare(sql)));
          return Response.json({ rows: results.reduce((sum, { results }) => sum + results.length, 0) });
        } catch (error) {
          return Response.json({ error: error.message });
        }`),
      { enableDatabase: true },
    );
    const batch = (count: number) => quire.call(slug, { body: { sql: LARGE, count } });
    expect((await batch(1)).body).toEqual({ rows: 90_000 });
    for (const count of [2, 50]) expect((await batch(count)).body.error).toContain('too large');
    expect(hostMegabytes()).toBeLessThan(600);
    expect((await quire.sql(slug, 'SELECT 1')).status).toBe(200);
  }, 120_000);

  test('is not created again by a call that is still running after its removal', async () => {
    const remover = await register(quire, 'remover');
    const folder = join(quire.dataFolder, 'databases', String(remover.id));
    const files = () =>
      (readdirSync(folder, { recursive: true }) as string[]).filter((name) =>
        /\/[0-9a-f]{64}\.sqlite/.test(name),
      );
    // Long enough for the host to close the file.
    const slug = await quire.deploy(
      handler(`await env.DB.exec('INSERT INTO t VALUES (1)');
        await scheduler.wait(12_000);
        return new Response(await env.DB.exec('CREATE TABLE late (a)').then(() => 'written', (error) => error.message));`),
      { enableDatabase: true },
      remover,
    );
    await quire.sql(slug, 'CREATE TABLE t (a)', [], remover);
    const late = quire.call(slug);
    const rows = async () => (await quire.sql(slug, 'SELECT a FROM t', [], remover)).body.results.length;
    await waitUntil(async () => (await rows()) > 0);
    expect(files().length).toBeGreaterThan(0);
    const { token } = remover;
    expect((await call(quire, 'DELETE', `/api/functions/${slug}`, { token })).status).toBe(204);
    expect(files()).toEqual([]);
    expect((await late).body).toContain('The database was removed');
    expect(files()).toEqual([]);
  }, 120_000);

  test('works again after its host was ended because of an endless statement', async () => {
    const answer = await endless;
    expect([answer.status, answer.body.code, answer.headers.get('retry-after')]).toEqual([
      503,
      'UNAVAILABLE',
      '1',
    ]);
    expect(answer.body.error).toContain('30 seconds');
    await waitUntil(
      async () => (await quire.sql(stuck, 'INSERT INTO t VALUES (1)', [], stubborn)).status === 200,
    );
    expect((await quire.sql(stuck, 'SELECT a FROM t', [], stubborn)).body.results).toEqual([{ a: 1 }]);
  }, 120_000);
});

describe.concurrent('a stopping server', () => {
  test('ends its cells, hosts and egress, also a cell that is blocked', async () => {
    const server = await startFunctionServer({ settings: { QUIRE_CELL_CPU_SECONDS: '1' } });
    let started = 0;
    using web = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response(`${++started}`) });
    const start = `await fetch('http://127.0.0.1:${web.port}/');`;
    const blocked = await server.deploy(handler(`${start} for (;;);`));
    const slow = await server.deploy(
      handler(`${start} await scheduler.wait(1_500); return new Response("finished")`),
    );
    const kept = await server.deploy(HELLO, { enableDatabase: true });
    await server.sql(kept, 'CREATE TABLE t (a)');
    await server.call(kept);
    const hopeless = server.call(blocked, { timeoutMs: 60_000 });
    const finishing = server.call(slow);
    await waitUntil(async () => started === 2);
    const survivors = watchSurvivors(descendants(server.pid));
    expect(new Set(helpers(server).map(({ kind }) => kind))).toContain('database host');
    const stopping = server.stop();
    expect((await finishing).body).toBe('finished');
    // The blocked cell is killed by the CPU limit or by the timeout of the server.
    expect([502, 504]).toContain((await hopeless).status);
    expect(await stopping).toBe(0);
    await waitUntil(async () => survivors().length === 0 && helpers(server).length === 0);
    expect(() => readdirSync(runtimeFolder(server))).toThrow();
  }, 120_000);
});
