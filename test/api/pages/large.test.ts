import { afterAll, beforeAll, expect, test } from 'bun:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { type TestApp, type TestUser, testApp } from '../../support/app.ts';
import { readMetrics } from '../../support/http/metrics.ts';

/** Pages that are too large to render on the serving thread. */

const MB = 1024 * 1024;
const HEAD = '<!doctype html><html><head><title>t</title><meta property="og:title" content="Mine"></head>';
const NESTED = `${HEAD}<body data-page-id="{{PAGE_ID}}">${'<div>'.repeat((3.9 * MB) / 5)}`;

let quire: TestApp;
let owner: TestUser;
beforeAll(async () => {
  quire = await testApp({ QUIRE_ISOLATION: 'sandbox' });
  owner = await quire.user('owner');
});
afterAll(() => quire.stop());

const get = (slug: string, headers: Record<string, string> = {}) => quire.request(`/p/${slug}`, { headers });
const publish = (name: string, html_content: string) => owner.publish({ name, html_content });
async function loads(): Promise<number> {
  const metrics = await quire.request('/metrics');
  return readMetrics(await metrics.text()).get('quire_page_cache_loads_total') ?? Number.NaN;
}

test('a large page is served like a small one, in every encoding', async () => {
  const page = await publish('Large', `${NESTED}é`);
  const as = (encoding: string) => get(page.slug, { 'accept-encoding': encoding });
  const [plain, gzip, br] = await Promise.all([as('identity'), as('gzip'), as('br')]);
  const bytes = Buffer.from(await plain.arrayBuffer());
  const text = bytes.toString();
  const script = text.indexOf('<script src="/sdk/');
  expect(text.slice(0, script)).toBe('<!doctype html><html><head>');
  expect(text).toContain(`data-page-id="${page.id}"`);
  expect(text).toContain(`<body data-page-id="${page.id}"><div>`);
  expect(text).toContain('name="twitter:card"');
  expect(text.split('property="og:title"')).toHaveLength(2);
  expect(text.endsWith('<div>é')).toBe(true);
  expect(gunzipSync(Buffer.from(await gzip.arrayBuffer())).equals(bytes)).toBe(true);
  expect(brotliDecompressSync(Buffer.from(await br.arrayBuffer())).equals(bytes)).toBe(true);

  const known = { 'accept-encoding': 'br', 'if-none-match': br.headers.get('etag') ?? '' };
  expect((await get(page.slug, known)).status).toBe(304);
  const navigation = {
    cookie: await owner.login(),
    'sec-fetch-mode': 'navigate',
    'sec-fetch-dest': 'document',
  };
  const personal = await (await get(page.slug, navigation)).text();
  expect(personal.replace(/ data-page-session="[^"]+"/, '')).toBe(text);
  expect(personal.length).toBeGreaterThan(text.length);
});

test('a large page is rendered once for all waiting requests', async () => {
  const page = await publish('Asked for often', NESTED);
  const before = await loads();
  const answers = await Promise.all(Array.from({ length: 12 }, () => get(page.slug)));
  expect(answers.map(({ status }) => status)).toEqual(Array(12).fill(200));
  expect(await loads()).toBe(before + 1);
});

test('a change during rendering is not missed', async () => {
  const page = await publish('Changing', NESTED);
  const first = get(page.slug);
  const changed = { body: { html_content: `${NESTED}<p>changed` } };
  expect((await owner.call('PATCH', `/api/pages/${page.id}`, changed)).status).toBe(200);
  await first;
  expect(await (await get(page.slug)).text()).toEndWith('<p>changed');
});

test('other requests get responses while a large page is rendered', async () => {
  const page = await publish('Slow', NESTED);
  let isDone = false;
  let longest = 0;
  const start = performance.now();
  const serving = get(page.slug).then(() => {
    isDone = true;
  });
  for (let last = performance.now(); !isDone; ) {
    await new Promise((resolve) => setImmediate(resolve));
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
  }
  await serving;
  // The share of the total time. On the serving thread it would be nearly all of it.
  expect(longest).toBeLessThan((performance.now() - start) / 2);
});
