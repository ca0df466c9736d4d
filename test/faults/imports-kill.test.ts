import { afterAll, expect, test } from 'bun:test';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { call, register } from '../support/http/client.ts';
import { startServer, type TestServer, waitUntil } from '../support/server.ts';
import { makeZip } from '../support/zip.ts';

/** A server that is killed in the middle of an import. */

let server: TestServer | undefined;
const folder = mkdtempSync(join(tmpdir(), 'quire-import-'));
afterAll(async () => {
  await server?.kill();
  rmSync(folder, { recursive: true, force: true });
});

/**
 * Takes long, so that the server is killed while it runs. It is too large for the deploy, so that it runs when the
 * function is there.
 */
const SLOW = `CREATE TABLE numbers AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 30000000)
SELECT max(x) FROM c;${' '.repeat(1024 * 1024)}`;
const FILES = {
  'wrangler.toml':
    'name = "cut-off"\nmain = "index.js"\n[[d1_databases]]\nbinding = "DB"\n[assets]\ndirectory = "public"\n',
  'index.js': 'export default { fetch: () => new Response("hello") };',
  'public/index.html': '<!doctype html><title>Cut off</title>',
};

test('leaves a function and no page, nothing on the disk, and can be repeated', async () => {
  const options = { settings: { QUIRE_LOG_LEVEL: 'silent' }, dataFolder: folder };
  server = await startServer(options);
  const { token } = await register(server, 'cut-off');
  const send = async (files: Record<string, string>, query = '') => {
    const response = await fetch(`http://127.0.0.1:${server?.port}/api/imports${query}`, {
      method: 'POST',
      headers: { host: `localhost:${server?.port}`, authorization: `Bearer ${token}` },
      body: makeZip(Object.entries(files).map(([name, content]) => ({ name, content }))),
    });
    return (await response.json()) as { digest: string; published: { functions: Array<{ slug: string }> } };
  };
  const slow = { ...FILES, 'migrations/0001.sql': SLOW };
  const { digest } = await send(slow);
  const cut = send(slow, `?digest=${digest}`).catch(() => 'cut off');
  const find = async () => (await call(server as TestServer, 'GET', '/api/functions/cut-off')).status === 200;
  await waitUntil(find);
  await server.kill();
  expect(await cut).toBe('cut off');

  server = await startServer(options);
  expect(await find()).toBe(true);
  expect((await call(server, 'GET', '/api/pages', { token })).body.total).toBe(0);
  const left = join(folder, 'imports');
  expect(existsSync(left) ? readdirSync(left) : []).toEqual([]);
  const again = await send(FILES);
  const { published } = await send(FILES, `?digest=${again.digest}`);
  expect(published.functions).toMatchObject([{ slug: 'cut-off-2' }]);
});
