import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startVendors, type Vendors } from '../support/agents/vendors.ts';
import { call, login, publish, register } from '../support/http/client.ts';
import { startServer, waitUntil } from '../support/server.ts';

let vendors: Vendors;
let dataFolder: string;
beforeAll(async () => {
  vendors = await startVendors();
  dataFolder = mkdtempSync(join(tmpdir(), 'quire-features-kill-'));
});
afterAll(async () => {
  await vendors.stop();
  rmSync(dataFolder, { recursive: true, force: true });
});

test('credits reserved by a killed server are refunded', async () => {
  vendors.behave('silence');
  const settings = {
    QUIRE_AI_PROVIDER: 'openai-compatible',
    QUIRE_AI_URL: vendors.urls.chat,
    QUIRE_AI_MODEL: 'a-model',
    QUIRE_CREDITS_NEW_USER: '20',
  };
  const server = await startServer({ dataFolder, settings });
  const { token } = await register(server, 'visitor');
  const page = await publish(server, token);
  await call(server, 'PATCH', `/api/pages/${page.id}`, { token, body: { page_api_ai_enabled: true } });
  const cookie = await login(server, 'visitor');
  await call(server, 'POST', '/api/credits/consents', { cookie, body: { pageId: page.id } });
  const balance = async () => (await call(running, 'GET', '/api/credits', { cookie })).body.balance;
  let running = server;

  const arrived = vendors.nextRequest();
  const asking = call(server, 'POST', `/api/pages/${page.id}/page-api-ai`, {
    cookie,
    body: { system_prompt: 'Be brief.' },
  }).catch(() => undefined);
  await arrived;
  expect(await balance()).toBeLessThan(20);
  await server.kill();
  await asking;

  const database = new Database(join(dataFolder, 'quire.db'));
  expect(database.run('update credit_reservations set expires_at = 1').changes).toBe(1);
  database.close();
  running = await startServer({ dataFolder, settings });
  await waitUntil(async () => (await balance()) === 20);
  expect((await call(running, 'GET', '/api/credits/history', { cookie })).body.total).toBe(1);
  expect(await running.stop()).toBe(0);
}, 120_000);
