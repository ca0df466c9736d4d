import { afterAll, beforeAll, expect, test } from 'bun:test';
import { startVendors, type Vendors } from '../support/agents/vendors.ts';
import { type DiskServer, makeSmallDisk, type SmallDisk, startServerOn } from '../support/faults/disk.ts';
import { call, login, publish, register } from '../support/http/client.ts';
import { untilPrinted } from '../support/server.ts';

let disk: SmallDisk;
let vendors: Vendors;
let server: DiskServer;
let cookie: string;
let chat: string;

beforeAll(async () => {
  [disk, vendors] = await Promise.all([makeSmallDisk(24), startVendors()]);
  server = await startServerOn(disk, {
    QUIRE_AI_PROVIDER: 'openai-compatible',
    QUIRE_AI_URL: vendors.urls.chat,
    QUIRE_AI_MODEL: 'a-model',
    QUIRE_CREDITS_NEW_USER: '20',
  });
  const { token } = await register(server, 'visitor');
  const page = await publish(server, token);
  await call(server, 'PATCH', `/api/pages/${page.id}`, { token, body: { page_api_ai_enabled: true } });
  cookie = await login(server, 'visitor');
  await call(server, 'POST', '/api/credits/consents', { cookie, body: { pageId: page.id } });
  chat = `/api/pages/${page.id}/page-api-ai`;
});
afterAll(async () => {
  await server.kill();
  await disk.remove();
  await vendors.stop();
});

test('a chat that can be neither charged nor refunded ends its stream, and the server keeps running', async () => {
  vendors.behave('silence midway');
  const response = await fetch(`http://127.0.0.1:${server.port}${chat}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', cookie },
    body: JSON.stringify({ system_prompt: 'Be brief.', stream: true }),
  });
  if (!response.body) throw new Error('the chat has no body');
  const reader = response.body.getReader();
  let text = Buffer.from((await reader.read()).value ?? []).toString();
  await disk.fill();
  vendors.cut();
  for (let part = await reader.read(); !part.done; part = await reader.read())
    text += Buffer.from(part.value).toString();
  expect(text).toContain('"type":"delta"');
  const failure = { type: 'error', error: 'provider_error', message: 'The provider could not answer.' };
  expect(text).toEndWith(`data: ${JSON.stringify(failure)}\n\n`);
  await untilPrinted(server, 'a chat could not be settled');

  await disk.free();
  vendors.behave('well');
  const again = await call(server, 'POST', chat, { cookie, body: { system_prompt: 'Be brief.' } });
  expect([again.status, again.body.success]).toEqual([200, true]);
});
