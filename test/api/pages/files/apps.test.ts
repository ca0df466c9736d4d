import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { PublishedPage } from '../../../support/app.ts';
import { type FilesApp, filesApp } from '../../../support/pages/files.ts';

/** Single-page apps: pages whose document is shown where no file is. */

const OPEN = {
  accept: 'text/html,application/xhtml+xml,*/*;q=0.8',
  'sec-fetch-mode': 'navigate',
  'sec-fetch-dest': 'document',
};
const SITE = {
  'index.html': '<title>App</title><p>the app',
  'assets/app.js': 'export {}',
  '404.html': '<p>nothing here',
};

const RULED = {
  ...SITE,
  'data/a.json': '{}',
  'data/part.html': '<p>part',
  'app.html': '<p>the rewritten app',
  'gone.html': '<p>it is gone',
  _redirects:
    '/old/* /new/:splat\n/out https://example.org/ 302\n/app/* /app.html 200\n/left /gone.html 404\n/404.html /forced 302!\n/bad //evil\n/top/* /:splat\n/ /home 302',
  _headers:
    '/data/*\n  Access-Control-Allow-Origin: *\n  Cache-Control: max-age=60\n/*\n  X-Site: ours\n  Content-Security-Policy: none',
};

interface Scene extends FilesApp {
  pages: Record<string, PublishedPage>;
}

async function scene(settings: Record<string, string>): Promise<Scene> {
  const app = await filesApp(settings);
  const publish = async (name: string, fields: Record<string, unknown>, files?: Record<string, string>) => {
    const page = await app.owner.publish({ name, ...fields });
    if (files) expect((await app.replace(page, files)).status).toBe(200);
    return page;
  };
  const fallback = { ...SITE, '200.html': '<title>200</title><p>the fallback' };
  return {
    ...app,
    pages: {
      app: await publish('App', { spa: true }, SITE),
      alone: await publish('Alone', { spa: true, html_content: '<p>alone' }),
      site: await publish('Site', {}, SITE),
      fallback: await publish('Fallback', {}, fallback),
      ruled: await publish('Ruled', {}, RULED),
    },
  };
}

let origin: Scene;
let sandbox: Scene;
beforeAll(async () => {
  [origin, sandbox] = await Promise.all([
    scene({}),
    scene({ QUIRE_BASE_URL: 'http://127.0.0.1:3000', QUIRE_PAGES_HOST: '' }),
  ]);
});
afterAll(() => Promise.all([origin.quire.stop(), sandbox.quire.stop()]));

describe.each([
  ['on its own host', () => origin, (page: PublishedPage) => `http://p${page.id}.pages.localhost:3000/`],
  ['in sandbox isolation', () => sandbox, (page: PublishedPage) => `/p/${page.slug}/`],
])('%s', (_, openScene, findRoot) => {
  const get = async (name: string, path: string, headers: Record<string, string> = OPEN) => {
    const { pages, quire } = openScene();
    const response = await quire.request(findRoot(pages[name] as PublishedPage) + path, { headers });
    return {
      status: response.status,
      type: response.headers.get('content-type'),
      text: await response.text(),
    };
  };

  test.each([
    ['app', 'the app'],
    ['alone', 'alone'],
    ['fallback', 'the fallback'],
  ])('a navigation in %s that matches no file shows its document', async (name, text) => {
    for (const path of ['orders/17', 'orders/17/', 'a/b/c.d', 'orders?page=2']) {
      const shown = await get(name, path);
      expect(shown.status).toBe(200);
      expect(shown.text).toContain(text);
      expect(shown.type).toBe('text/html; charset=utf-8');
    }
  });

  test('files are files, and what a script requests is missing if there is no file', async () => {
    expect(await get('app', 'assets/app.js')).toMatchObject({ status: 200, text: 'export {}' });
    const script = { accept: '*/*', 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' };
    for (const name of ['app', 'alone', 'fallback']) {
      expect((await get(name, 'assets/gone.js', script)).status).toBe(404);
      expect((await get(name, 'orders/17', {})).status).toBe(404);
    }
  });

  test('rules of a page redirect, rewrite and set headers, and are not sent themselves', async () => {
    const { pages, quire } = openScene();
    const root = findRoot(pages.ruled as PublishedPage);
    const ask = (path: string) => quire.request(root + path, { headers: OPEN });
    const inside = new URL(root, 'http://base').pathname;
    for (const [path, status, location] of [
      ['old/a/b?c=1', 301, `${inside}new/a/b?c=1`],
      ['out', 302, 'https://example.org/'],
      ['404.html', 302, `${inside}forced`],
    ] as const) {
      const response = await ask(path);
      expect([response.status, response.headers.get('location')]).toEqual([status, location]);
    }
    expect(await get('ruled', 'app/orders/1')).toMatchObject({
      status: 200,
      text: expect.stringContaining('rewritten'),
    });
    expect(await get('ruled', 'left')).toMatchObject({
      status: 404,
      text: expect.stringContaining('it is gone'),
    });
    for (const path of ['_redirects', '_headers']) expect((await ask(path)).status).toBe(404);
    const { headers } = await ask('data/a.json');
    expect([headers.get('access-control-allow-origin'), headers.get('cache-control')]).toEqual([
      '*',
      'max-age=60',
    ]);
    expect(headers.get('x-site')).toBe('ours');
    const policy = (await ask('')).headers.get('content-security-policy');
    expect(policy ?? 'sandbox').toStartWith('sandbox');
    expect((await ask('')).headers.get('x-site')).toBe('ours');
    const outside = await ask('old//evil.example/x');
    expect(outside.headers.get('location')).toBe(`${inside}new//evil.example/x`);
    expect((await ask('top//evil.example')).headers.get('location')).toBe(`${inside}evil.example`);
    expect((await ask('%zz')).headers.get('location')).toBeNull();
    const missing = await quire.request(`${root}data/gone.js`, { headers: { accept: '*/*' } });
    expect([missing.status, missing.headers.get('cache-control')]).toEqual([404, 'no-cache']);
    const part = { accept: '*/*', 'sec-fetch-dest': 'empty' };
    const fragment = await quire.request(`${root}data/part.html`, { headers: part });
    expect(fragment.headers.get('cache-control')).toBe('no-cache');
  });

  test('other pages show their own 404', async () => {
    expect(await get('site', 'orders/17')).toMatchObject({ status: 404 });
    expect((await get('site', 'orders/17')).text).toContain('nothing here');
  });
});

test('paths of the service on the host of a page stay with the service', async () => {
  const request = (path: string) =>
    origin.quire.request(`http://p${origin.pages.app?.id}.pages.localhost:3000${path}`, { headers: OPEN });
  expect((await request('/.well-known/nothing')).status).toBe(404);
  expect((await request('/api/pages/nothing')).status).toBe(404);
});

test('it is a setting: GET, PATCH and a fork have it', async () => {
  const page = await origin.owner.publish({ name: 'Setting' });
  const send = (method: string, path: string, body?: unknown) =>
    origin.call(method, path, {
      type: 'application/json',
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  const read = async (id: number) => (await send('GET', `/api/pages/${id}`)).body.page.spa;
  expect(await read(page.id)).toBe(false);
  const patched = await send('PATCH', `/api/pages/${page.id}`, { spa: true });
  expect(patched.body.page.spa).toBe(true);
  expect(await read(page.id)).toBe(true);
  const refused = await send('PATCH', `/api/pages/${page.id}`, { spa: 'yes' });
  expect(refused.status).toBe(400);
  expect(refused.body.error).toContain('spa');
  const fork = await send('POST', `/api/pages/${page.id}/fork`, {});
  expect(await read(fork.body.page.id)).toBe(true);
});

test('a push says which rules are not applied', async () => {
  const page = await origin.owner.publish({ name: 'Rules' });
  const { body } = await origin.replace(page, RULED);
  expect(body.warnings).toMatchObject([
    {
      code: 'SITE_RULE',
      line: 6,
      message: expect.stringContaining('_redirects, line 6: The target must be'),
    },
    { code: 'SITE_RULE', line: 6, message: expect.stringContaining('content-security-policy') },
  ]);
  const alone = await origin.put(page, '_headers', '/*\n  Set-Cookie: a=1');
  expect(alone.body.warnings).toMatchObject([{ code: 'SITE_RULE' }, { code: 'SITE_RULE' }]);
});

describe.each([
  ['in origin isolation', () => origin, () => '/'],
  ['in sandbox isolation', () => sandbox, (page: PublishedPage) => `/p/${page.slug}/`],
] as const)('a build with a relative base %s', (_, find, makeRoot) => {
  const RELATIVE = {
    'index.html': '<title>App</title><script type="module" src="./assets/app.js"></script>',
    'assets/app.js': '',
    'app/index.html': '<link rel="stylesheet" href="a.css"><p>inner',
    '404.html': '<img src="lost.png">',
    _redirects: '/inner/* /app/ 200',
  };
  let app: Scene;
  let root: string;
  let at: string;
  beforeAll(async () => {
    app = find();
    const page = await app.owner.publish({ spa: true });
    await app.replace(page, RELATIVE);
    root = makeRoot(page);
    at = root === '/' ? `http://p${page.id}.pages.localhost:3000/` : root;
  });
  const open = async (path: string, headers: Record<string, string> = {}) => {
    const response = await app.quire.request(at + path, { headers: { ...OPEN, ...headers } });
    return { response, base: /<base[^>]*>/.exec(await response.text())?.[0] };
  };

  test('is shown at any depth, where the document says where its addresses begin', async () => {
    for (const path of ['', 'index.html', 'orders', 'app/']) expect((await open(path)).base).toBeUndefined();
    for (const path of ['orders/7', 'a/b/c', 'orders/'])
      expect((await open(path)).base).toBe(`<base href="${root}">`);
    expect((await open('inner/7')).base).toBe(`<base href="${root}app/">`);
    const { response } = await open('orders/7');
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    const again = await open('orders/8', { 'if-none-match': response.headers.get('etag') ?? '' });
    expect(again.response.status).toBe(304);
    const missing = await open('js/gone.js', { accept: '*/*', 'sec-fetch-dest': 'script' });
    expect([missing.response.status, missing.base]).toEqual([404, `<base href="${root}">`]);
  });

  test('is sent as it is if its addresses do not depend on it, it has a base, or it is large', async () => {
    const documents = [
      '<script src="/assets/app.js"></script><a href="#x"></a><img src="data:,"><link href="https://example.org/a.css">',
      '<base href="/x/"><script src="./assets/app.js"></script>',
      `<script src="./assets/app.js"></script>${' '.repeat(256 * 1024)}`,
    ];
    for (const html_content of documents) {
      const page = await app.owner.publish({ spa: true, html_content });
      const host = root === '/' ? `http://p${page.id}.pages.localhost:3000/` : `/p/${page.slug}/`;
      const response = await app.quire.request(`${host}orders/7`, { headers: OPEN });
      expect(await response.text()).not.toContain(`<base href="${root === '/' ? '/' : host}">`);
    }
  });
});

test('isolation applies on the own host only, and a service worker has to be allowed', async () => {
  const page = await origin.owner.publish({ name: 'Isolated' });
  await origin.replace(page, {
    'worker.js': 'addEventListener("fetch", () => {})',
    'assets/app-B1wKq9Yd.js': '1',
  });
  const at = (path: string, headers: Record<string, string> = {}) =>
    origin.quire.request(`http://p${page.id}.pages.localhost:3000/${path}`, {
      headers: { ...OPEN, ...headers },
    });
  const set = async (isolation: unknown) =>
    (await origin.owner.call('PATCH', `/api/pages/${page.id}`, { body: { isolation } })).status;
  const policies = async (path: string) => {
    const { headers } = await at(path);
    return [headers.get('cross-origin-opener-policy'), headers.get('cross-origin-embedder-policy')];
  };
  const worker = async () => {
    const response = await at('worker.js', { 'service-worker': 'script', accept: '*/*' });
    return [response.status, await response.text()] as const;
  };
  expect(await policies('')).toEqual([null, null]);
  expect((await worker())[0]).toBe(403);

  expect(await set({ coop: 'same-origin', coep: 'require-corp', service_worker: true })).toBe(200);
  for (const path of ['', 'worker.js']) expect(await policies(path)).toEqual(['same-origin', 'require-corp']);
  expect(await worker()).toEqual([200, 'addEventListener("fetch", () => {})']);
  const etag = (await at('worker.js')).headers.get('etag') ?? '';
  const again = await at('worker.js', { 'service-worker': 'script', 'if-none-match': etag });
  expect(again.status).toBe(304);
  const { body } = await origin.owner.call('GET', `/api/pages/${page.id}`);
  expect(body.page.isolation).toEqual({ coop: 'same-origin', coep: 'require-corp', service_worker: true });
  const base = await origin.quire.request(`/p/${page.slug}/`);
  expect(base.headers.get('cross-origin-opener-policy')).toBeNull();

  const sent = await at('');
  expect(sent.headers.get('content-security-policy')).toBe("frame-ancestors 'self'");
  const framed = await at('', { 'sec-fetch-dest': 'iframe', 'sec-fetch-site': 'same-site' });
  expect(framed.headers.get('content-security-policy')).toStartWith('sandbox');

  expect(await set({ service_worker: false })).toBe(200);
  expect(await policies('')).toEqual([null, null]);
  expect((await worker())[1]).toContain('unregister');
  expect(await set({ service_worker: true })).toBe(200);
  expect(await set({})).toBe(200);
  expect((await worker())[1]).toContain('unregister');
  expect(await set({ service_worker: true })).toBe(200);
  await origin.owner.call('PATCH', `/api/pages/${page.id}`, { body: { is_published: false } });
  expect((await worker())[1]).toContain('unregister');
  await origin.owner.call('DELETE', `/api/pages/${page.id}`);
  expect((await worker())[1]).toContain('unregister');
});

test('isolation that cannot be is refused', async () => {
  const page = await origin.owner.publish({ name: 'Refused' });
  const set = async (isolation: unknown) =>
    (await origin.owner.call('PATCH', `/api/pages/${page.id}`, { body: { isolation } })).status;
  for (const bad of [
    { coop: 'unsafe-none' },
    { coep: '*' },
    { service_worker: 1 },
    { frame: true },
    'on',
    null,
  ])
    expect(await set(bad)).toBe(400);
});

test('files with a hash in their names are kept by browsers, while everyone can see the page', async () => {
  const page = await origin.owner.publish({ name: 'Hashed' });
  await origin.replace(page, { 'assets/app-B1wKq9Yd.js': '1', 'assets/app.js': '1' });
  const cached = async (path: string) =>
    (await origin.quire.request(`/p/${page.slug}/assets/${path}`)).headers.get('cache-control');
  expect(await cached('app-B1wKq9Yd.js')).toBe('private, max-age=31536000, immutable');
  expect(await cached('app.js')).toBe('no-cache');
});
