import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type FunctionServer, handler, startFunctionServer } from '../support/functions/server.ts';
import { waitUntil } from '../support/server.ts';

const MEGABYTE = 1024 * 1024;
/** Half a gigabyte in one statement. */
const FLOOD =
  'WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 512) INSERT INTO t SELECT zeroblob(1048576) FROM c';

describe('a function that writes more than the quota of its owner', () => {
  let quire: FunctionServer;
  beforeAll(async () => {
    quire = await startFunctionServer({ settings: { QUIRE_QUOTA_BYTES: String(MEGABYTE) } });
  });
  afterAll(() => quire.stop());

  const diskBytes = () => {
    const folder = join(quire.dataFolder, 'databases', '1', 'quire-database');
    return readdirSync(folder).reduce((sum, file) => sum + statSync(join(folder, file)).size, 0);
  };

  test('in one statement leaves no trace in the database or on the disk', async () => {
    const slug = await quire.deploy(
      handler('return Response.json(await env.DB.prepare(await request.json()).all())'),
      { enableDatabase: true },
    );
    await quire.sql(slug, 'CREATE TABLE t (v)');
    await quire.sql(slug, 'INSERT INTO t VALUES (1)');
    const { status } = await quire.call(slug, { body: FLOOD, timeoutMs: 90_000 });
    // 503 if the host ended before it could refuse: then the outcome of the statement is unknown.
    expect([500, 503]).toContain(status);
    await waitUntil(async () => {
      const { status, body } = await quire.sql(slug, 'SELECT count(*) AS n FROM t');
      return status === 200 && body.results[0].n === 1;
    });
    // The log file is truncated when the database is opened again, and when it is idle.
    await waitUntil(async () => diskBytes() < 4 * MEGABYTE);
    expect((await quire.sql(slug, 'INSERT INTO t VALUES (2)')).status).toBe(200);
  }, 120_000);

  test('cannot raise its own limit', async () => {
    const slug = await quire.deploy(
      handler(`const { fetcher } = env.DB;
        const headers = { 'x-quire-limit': '1000000000', 'x-quire-database': '' };
        for (const path of ['status', 'query'])
          await fetcher.fetch('http://d1/' + path, { method: 'POST', headers, body: '{"sql":"SELECT 1"}' });
        await env.DB.exec('CREATE TABLE IF NOT EXISTS t (v)');
        return env.DB.prepare('INSERT INTO t VALUES (zeroblob(2000000))').run()
          .then(() => new Response('stored'), (error) => new Response(error.message))`),
      { enableDatabase: true },
    );
    expect((await quire.call(slug)).body).toContain('would exceed the quota');
  });
});
