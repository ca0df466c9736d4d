import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { call, publish, register } from '../support/fault-client.ts';
import { startServer, type TestServer } from '../support/server.ts';

const VIEWS = 1_000;
const AT_ONCE = 20;

let dataFolder: string;
let server: TestServer | undefined;

beforeEach(() => {
  dataFolder = mkdtempSync(join(tmpdir(), 'quire-views-'));
});
afterEach(async () => {
  await server?.kill();
  rmSync(dataFolder, { recursive: true, force: true });
});

test('1,000 views are 1,000 after a clean stop, and neither HEAD nor 304 is one', async () => {
  const first = await startServer({ dataFolder });
  server = first;
  const { token } = await register(first, 'ada');
  const { id, slug } = await publish(first, token);
  const etag = (await call(first, 'HEAD', `/p/${slug}`)).headers.get('etag') ?? '';

  const look = async () => {
    expect((await call(first, 'GET', `/p/${slug}`)).status).toBe(200);
  };
  for (let seen = 0; seen < VIEWS; seen += AT_ONCE) {
    await Promise.all(Array.from({ length: AT_ONCE }, look));
    const known = await call(first, 'GET', `/p/${slug}`, { headers: { 'if-none-match': etag } });
    expect(known.status).toBe(304);
    expect((await call(first, 'HEAD', `/p/${slug}`)).status).toBe(200);
  }
  expect(await first.stop()).toBe(0);

  server = await startServer({ dataFolder });
  expect((await call(server, 'GET', `/api/pages/${id}`, { token })).body.page.views).toBe(VIEWS);
});
