import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type Behaviour, startVendors, VENDOR_WORDS, type Vendors } from '../../support/agents/vendors.ts';
import { type TestApp, type TestResponse, type TestUser, testApp } from '../../support/app.ts';
import { waitUntil } from '../../support/server.ts';

/**
 * Visitor features with providers that fail in every way. Each test has a new service, with closed circuits.
 */

const KEY = 'sk-secret-key-of-the-operator';
let vendors: Vendors;
beforeAll(async () => {
  vendors = await startVendors();
});
afterAll(() => vendors.stop());

interface Scene {
  quire: TestApp;
  user: TestUser;
  cookie: string;
  pageId: number;
  ask(path: string, body: object): Promise<TestResponse>;
  balance(): Promise<number>;
}

async function scene(): Promise<Scene> {
  const quire = await testApp({
    QUIRE_AI_PROVIDER: 'openai-compatible',
    QUIRE_AI_URL: vendors.urls.chat,
    QUIRE_AI_KEY: KEY,
    QUIRE_AI_MODEL: 'a-model',
    QUIRE_IMAGE_URL: vendors.urls.images,
    QUIRE_IMAGE_KEY: KEY,
    QUIRE_IMAGE_MODEL: 'an-image-model',
    QUIRE_IMAGE_SEARCH: 'openverse',
    QUIRE_IMAGE_SEARCH_URL: vendors.urls.openverse,
    QUIRE_CREDITS_NEW_USER: '20',
  });
  const user = await quire.user('visitor');
  const page = await user.publish({
    page_api_ai_enabled: true,
    page_api_image_gen_enabled: true,
    page_api_image_search_enabled: true,
    page_api_image_recognition_enabled: true,
  });
  const cookie = await user.login();
  await quire.call('POST', '/api/credits/consents', { cookie, body: { pageId: page.id, limit: 100 } });
  return {
    quire,
    user,
    cookie,
    pageId: page.id,
    ask: (path, body) => quire.call('POST', `/api/pages/${page.id}/${path}`, { cookie, body }),
    balance: async () => (await quire.call('GET', '/api/credits', { cookie })).body.balance,
  };
}

const CALLS: Array<[path: string, body: object]> = [
  ['page-api-ai', { system_prompt: 'Be brief.' }],
  ['page-api-image-gen', { prompt: 'A ball' }],
  ['page-api-image-search', { query: 'Bern' }],
];
const FAILURES: Behaviour[] = [{ status: 401 }, { status: 429 }, { status: 500 }, 'garbage', 'cut'];

describe.each(FAILURES)('a provider that responds with %j', (behaviour) => {
  test('causes 502, costs nothing, and does not reveal itself or its key', async () => {
    const s = await scene();
    vendors.behave(behaviour);
    for (const [path, body] of CALLS) {
      const answer = await s.ask(path, body);
      expect([path, answer.status, answer.body.error]).toEqual([path, 502, 'provider_error']);
      const told = JSON.stringify(answer.body) + s.quire.logs.join('');
      expect(told).not.toContain(VENDOR_WORDS);
      expect(told).not.toContain(KEY);
    }
    expect(await s.balance()).toBe(20);
    vendors.behave('well');
    await s.quire.stop();
  });
});

test('a chat that breaks off ends its stream with an error, and costs nothing', async () => {
  const s = await scene();
  vendors.behave('error midway');
  const response = await s.quire.request(`/api/pages/${s.pageId}/page-api-ai`, {
    method: 'POST',
    headers: { cookie: s.cookie, 'content-type': 'application/json' },
    body: JSON.stringify({ system_prompt: 'Be brief.', stream: true }),
  });
  const text = await response.text();
  expect(text).toContain('"type":"delta"');
  expect(text).toContain('data: {"type":"error","error":"provider_error",');
  expect(await s.balance()).toBe(20);
  vendors.behave('well');
  await s.quire.stop();
});

test('a chat is charged by the count of the provider, and never above what was reserved', async () => {
  const s = await scene();
  vendors.behave({ usage: { input: 100, output: 150 } });
  const modest = await s.ask('page-api-ai', { system_prompt: 'Be brief.' });
  expect(modest.body).toMatchObject({
    usage: { totalTokens: 250 },
    credits: { deducted: 0.1, remaining: 19.9 },
  });
  vendors.behave({ usage: { input: 1e15, output: 1e15 } });
  const enormous = await s.ask('page-api-ai', { system_prompt: 'Be brief.', maxTokens: 100 });
  expect(enormous.status).toBe(200);
  expect(enormous.body.credits.deducted).toBeLessThan(0.1);
  vendors.behave('well');
  await s.quire.stop();
});

test('a chat requests no more than the visitor can pay', async () => {
  const s = await scene();
  vendors.behave({ usage: { input: 1e9, output: 1e9 } });
  for (let n = 0; n < 12; n++)
    await s.ask('page-api-ai', { system_prompt: 'x'.repeat(100), maxTokens: 4096 });
  const before = await s.balance();
  vendors.behave('well');
  const seen = vendors.seen.length;
  const answer = await s.ask('page-api-ai', { system_prompt: 'x'.repeat(100), maxTokens: 4096 });
  expect(answer.status).toBe(200);
  const asked = (vendors.seen[seen]?.body ?? {}) as { max_tokens: number };
  expect(before * 2500).toBeLessThan(4096);
  expect(asked.max_tokens).toBeLessThan(before * 2500);
  await s.quire.stop();
});

test('a visitor who disconnects stops the provider and pays for what was generated', async () => {
  const s = await scene();
  vendors.behave('silence midway');
  const hungUp = vendors.nextHangUp();
  const response = await s.quire.request(`/api/pages/${s.pageId}/page-api-ai`, {
    method: 'POST',
    headers: { cookie: s.cookie, 'content-type': 'application/json' },
    body: JSON.stringify({ system_prompt: 'Be brief.', stream: true }),
  });
  const reader = response.body?.getReader();
  await reader?.read();
  await reader?.cancel();
  await hungUp;
  // Until it is settled, much more than that is reserved.
  await waitUntil(async () => {
    const balance = await s.balance();
    return balance > 19.9 && balance < 20;
  });
  vendors.behave('well');
  await s.quire.stop();
});

test('a provider that is down for long gets no requests for a while', async () => {
  const s = await scene();
  vendors.behave({ status: 500 });
  for (let n = 0; n < 5; n++) await s.ask('page-api-image-search', { query: 'Bern' });
  const seen = vendors.seen.length;
  const answer = await s.ask('page-api-image-search', { query: 'Bern' });
  expect([answer.status, vendors.seen.length]).toEqual([502, seen]);
  // Other providers are not affected.
  vendors.behave('well');
  expect((await s.ask('page-api-ai', { system_prompt: 'x' })).status).toBe(200);
  await s.quire.stop();
});

test('a preview image from a provider costs its owner four credits', async () => {
  const s = await scene();
  vendors.behave('well');
  const answer = await s.user.call('POST', `/api/pages/${s.pageId}/generate-preview-image`, {
    body: { html: '<title>About</title>', customInstructions: 'In blue' },
  });
  expect(answer.status).toBe(200);
  expect(await s.balance()).toBe(16);
  vendors.behave({ status: 500 });
  const failed = await s.user.call('POST', `/api/pages/${s.pageId}/generate-preview-image`);
  expect([failed.status, failed.body.error]).toEqual([502, 'provider_error']);
  expect(await s.balance()).toBe(16);
  vendors.behave('well');
  await s.quire.stop();
});

test('a preview image that cannot be stored costs nothing, and gets the error of management routes', async () => {
  const s = await scene();
  vendors.behave('well');
  const path = `/api/pages/${s.pageId}/generate-preview-image`;
  const stranger = await s.quire.user('stranger');
  const foreign = await stranger.call('POST', path);
  expect([foreign.status, foreign.body.code]).toEqual([403, 'FORBIDDEN']);
  const large = await s.user.call('POST', path, { body: { html: 'x'.repeat(4 * 1024 * 1024 + 1) } });
  expect([large.status, large.body.code]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
  expect(await s.balance()).toBe(20);
  await s.quire.stop();
});

test('a generated image can be recognized', async () => {
  const s = await scene();
  vendors.behave('well');
  const made = await s.ask('page-api-image-gen', { prompt: 'A ball' });
  const seen = await s.ask('page-api-image-recognition', { prompt: 'What?', image_url: made.body.image_url });
  expect([made.status, seen.status]).toEqual([200, 200]);
  await s.quire.stop();
});
