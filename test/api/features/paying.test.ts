import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { PIXEL, startVendors, type Vendors } from '../../support/agents/vendors.ts';
import { type TestApp, testApp } from '../../support/app.ts';

/** Who pays for a picture: everyone for whom the provider has worked, whatever becomes of the result. */

let vendors: Vendors;
let quire: TestApp;
beforeAll(async () => {
  vendors = await startVendors();
  quire = await testApp({
    QUIRE_AI_PROVIDER: 'openai-compatible',
    QUIRE_AI_URL: vendors.urls.chat,
    QUIRE_AI_MODEL: 'a-model',
    QUIRE_IMAGE_URL: vendors.urls.images,
    QUIRE_IMAGE_MODEL: 'an-image-model',
    QUIRE_CREDITS_NEW_USER: '20',
    QUIRE_QUOTA_BYTES: '4100000',
    QUIRE_EGRESS_ALLOW: '127.0.0.1/32',
  });
});
afterAll(async () => {
  await quire.stop();
  await vendors.stop();
});
beforeEach(() => vendors.behave('well'));

const PAID: Array<{ path: string; body: object; price: number }> = [
  { path: 'generate-preview-image', body: {}, price: 4 },
  { path: 'page-api-image-gen', body: { prompt: 'A ball' }, price: 4 },
  {
    path: 'page-api-image-recognition',
    body: { prompt: 'What?', image_base64: PIXEL.toString('base64') },
    price: 1,
  },
];
/** Pictures that are stored. */
const STORED = PAID.slice(0, 2);

/** An owner who is also the visitor of their page, and has 20 credits. */
async function scene() {
  const user = await quire.user();
  const page = await user.publish({
    page_api_image_gen_enabled: true,
    page_api_image_recognition_enabled: true,
  });
  const cookie = await user.login();
  await quire.call('POST', '/api/credits/consents', { cookie, body: { pageId: page.id, limit: 100 } });
  return {
    user,
    pageId: page.id,
    ask: (path: string, body: object, signal?: AbortSignal) =>
      quire.request(`/api/pages/${page.id}/${path}`, {
        method: 'POST',
        headers: { cookie, 'content-type': 'application/json' },
        body: JSON.stringify(body),
        ...(signal && { signal }),
      }),
    balance: async () => (await quire.call('GET', '/api/credits', { cookie })).body.balance,
    /** Uses up so much of the quota that no picture of the usual size fits. */
    fill: () => user.publish({ html_content: 'x'.repeat(4_000_000) }),
  };
}

describe.each(PAID)('$path', ({ path, body, price }) => {
  test('is paid by a client that disconnects while the provider works', async () => {
    const s = await scene();
    vendors.behave('silence');
    const asked = vendors.nextRequest();
    const leaving = new AbortController();
    const response = s.ask(path, body, leaving.signal);
    await asked;
    leaving.abort();
    expect((await response).status).toBe(499);
    expect(await s.balance()).toBe(20 - price);
  });

  test('costs nothing if the client disconnects before the provider is asked', async () => {
    const s = await scene();
    const seen = vendors.seen.length;
    const leaving = new AbortController();
    const response = s.ask(path, body, leaving.signal);
    leaving.abort();
    await response.catch(() => undefined);
    expect([vendors.seen.length - seen, await s.balance()]).toEqual([0, 20]);
  });

  test('is paid by 25 clients that disconnect at once, as far as the credits go', async () => {
    const s = await scene();
    vendors.behave('silence');
    const seen = vendors.seen.length;
    const leaving = new AbortController();
    const responses = Array.from({ length: 25 }, () => s.ask(path, body, leaving.signal));
    const affordable = 20 / price;
    while (vendors.seen.length - seen < affordable) await vendors.nextRequest();
    leaving.abort();
    await Promise.all(responses);
    expect(vendors.seen.length - seen).toBe(affordable);
    expect(await s.balance()).toBe(0);
  });

  test('costs nothing if the provider fails', async () => {
    const s = await scene();
    vendors.behave({ status: 400 });
    expect((await s.ask(path, body)).status).toBe(502);
    expect(await s.balance()).toBe(20);
  });
});

describe.each(STORED)('$path', ({ path, body, price }) => {
  /** A provider that says where the picture is, and sends it when the test says so. */
  function holdPicture() {
    const picture = Promise.withResolvers<Uint8Array>();
    const name = `/${Bun.randomUUIDv7()}.png`;
    vendors.serve(name, picture.promise);
    vendors.behave({ json: { data: [{ url: vendors.urls.root + name }] } });
    const fetched = vendors.fetched.length;
    return {
      send: () => picture.resolve(PIXEL),
      async isAwaited() {
        while (vendors.fetched.length === fetched) await vendors.nextRequest();
      },
    };
  }

  test('is refused without asking the provider if the storage is full', async () => {
    const s = await scene();
    await s.fill();
    const seen = vendors.seen.length;
    const answer = await s.ask(path, body);
    expect([answer.status, vendors.seen.length - seen, await s.balance()]).toEqual([403, 0, 20]);
  });

  test('is paid if the storage is filled while the provider works', async () => {
    const s = await scene();
    const picture = holdPicture();
    const answer = s.ask(path, body);
    await picture.isAwaited();
    await s.fill();
    await s.user.publish({ html_content: 'x'.repeat(99_950) });
    picture.send();
    expect([(await answer).status, await s.balance()]).toEqual([403, 20 - price]);
  });

  test('is paid by a client that deletes the page while the provider works', async () => {
    const s = await scene();
    const picture = holdPicture();
    const answer = s.ask(path, body);
    await picture.isAwaited();
    await s.user.call('DELETE', `/api/pages/${s.pageId}`);
    picture.send();
    const { status } = await answer;
    expect([status, await s.balance()]).toEqual([path === 'page-api-image-gen' ? 200 : 404, 20 - price]);
  });
});

test('recognition costs nothing if the client disconnects while its picture is fetched', async () => {
  const s = await scene();
  vendors.serve('/slow.png', 'silence');
  const leaving = new AbortController();
  const asked = vendors.nextRequest();
  const body = { prompt: 'What?', image_url: `${vendors.urls.root}/slow.png` };
  const response = s.ask('page-api-image-recognition', body, leaving.signal);
  await asked;
  leaving.abort();
  await response;
  expect(await s.balance()).toBe(20);
});
