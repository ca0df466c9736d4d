import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import type { PublishedPage } from '../../../support/app.ts';
import { type Content, type FilesApp, filesApp, sha256 } from '../../../support/pages/files.ts';

const NAVIGATE = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };
const CSS = `/* A style sheet */ ${'p { color: rebeccapurple; margin: 0 auto } '.repeat(50)}`;
const PIXELS = crypto.getRandomValues(new Uint8Array(1000));
/** Too large to be kept in memory. */
const PHOTO = crypto.getRandomValues(new Uint8Array(65_536 * 5));
const SITE: Record<string, Content> = {
  'index.html': '<!doctype html><title>Home</title><p>Home {{PAGE_ID}}',
  'about.html': '<!doctype html><title>About</title><h1>About {{PAGE_ID}}</h1>',
  'docs/index.html': '<!doctype html><title>Docs</title><p>Docs',
  'docs/more.htm': '<p>More',
  'docs/same.htm': '<p>More',
  'css/style.css': CSS,
  'app.js': 'export const a = 1',
  'img/é ü.png': PIXELS,
  'photo.jpg': PHOTO,
  'drawing.svg': '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>',
  'paper.pdf': '%PDF-1.4',
  'feed.xml': '<feed/>',
  'data.json': '{}',
  empty: '',
};

type Headers = Record<string, string>;
/** A site on the base and, if it has one, on its own host. */
interface Scene extends FilesApp {
  page: PublishedPage;
  /** The site with a 404.html and files that the service would answer itself. */
  other: PublishedPage;
  at(place: string, path: string, headers?: Headers, method?: string): Promise<Response>;
}

async function scene(settings: Record<string, string>): Promise<Scene> {
  const app = await filesApp(settings);
  const page = await app.owner.publish({ name: 'Site', description: 'About us' });
  const other = await app.owner.publish({ name: 'Other' });
  expect((await app.replace(page, SITE)).status).toBe(200);
  const files = { '404.html': '<h1>Nothing {{PAGE_ID}}</h1>', 'llms.txt': 'mine', 'robots.txt': 'mine' };
  expect((await app.replace(other, { ...files, 'images/a.png': 'mine' })).status).toBe(200);
  const at = (place: string, path: string, headers: Headers = {}, method = 'GET') => {
    const root = place === 'base' ? '/p/site/' : `http://p${page.id}.pages.localhost:3000/`;
    return app.quire.request(root + path, { method, headers });
  };
  return { ...app, page, other, at };
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
  ['at the base in origin isolation', () => origin, 'base'],
  ['on its own host', () => origin, 'host'],
  ['at the base in sandbox isolation', () => sandbox, 'base'],
] as const)('a file %s', (_, openScene, place) => {
  const get = (path: string, headers: Headers = {}, method = 'GET') =>
    openScene().at(place, path, headers, method);
  const root = place === 'base' ? '/p/site/' : '/';

  test.each([
    ['css/style.css', 'text/css; charset=utf-8'],
    ['app.js', 'text/javascript; charset=utf-8'],
    ['img/%C3%A9%20%C3%BC.png', 'image/png'],
    ['img/e%CC%81%20u%CC%88.png', 'image/png'],
    ['photo.jpg', 'image/jpeg'],
    ['data.json', 'application/json; charset=utf-8'],
    ['empty', 'application/octet-stream'],
  ])('%s has its bytes, type, tag and headers', async (path, type) => {
    const content = SITE[decodeURIComponent(path).normalize('NFC')] ?? '';
    for (const _ of ['read', 'from memory']) {
      const response = await get(path);
      expect(response.status).toBe(200);
      expect(Buffer.from(await response.arrayBuffer()).equals(Buffer.from(content))).toBe(true);
      expect(Object.fromEntries(response.headers)).toMatchObject({
        'content-type': type,
        etag: `"${sha256(content)}"`,
        'cache-control': 'no-cache',
        'x-content-type-options': 'nosniff',
        'accept-ranges': 'bytes',
        'last-modified': expect.stringContaining('GMT'),
        'x-request-id': expect.any(String),
      });
      expect(response.headers.get('access-control-allow-origin')).toBe(place === 'base' ? '*' : null);
      expect(response.headers.get('content-security-policy')).toBeNull();
    }
  });

  test('is rendered like the page if it is HTML', async () => {
    const { page, quire } = openScene();
    for (const path of [
      'about.html',
      'about',
      'docs/',
      'docs/index.html',
      'docs/more.htm',
      'docs/more.htm',
    ]) {
      const response = await get(path);
      const html = await response.text();
      expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(html).toContain(`data-page-id="${page.id}" data-slug="site"`);
      expect(html).toContain('<meta property="og:description" content="About us">');
      expect(response.headers.get('link')).toContain(`/api/pages/${page.id}/agent-spec`);
      expect(response.headers.get('content-security-policy') ?? '').toStartWith(
        place === 'base' ? 'sandbox' : '',
      );
      if (path.startsWith('about')) {
        expect(html).toContain(`<h1>About ${page.id}</h1>`);
        expect(html).toContain(`<meta property="og:url" content="${quire.baseUrl}/p/site/about.html">`);
      }
    }
  });

  test('is rendered for its own address, also if another file has the same bytes', async () => {
    for (const path of ['docs/more.htm', 'docs/same.htm', 'docs/more.htm'])
      expect(await (await get(path)).text()).toContain(`/p/site/${path}">`);
  });

  test('is the page itself at the root and at index.html', async () => {
    for (const path of ['', 'index.html']) {
      const response = await get(path);
      expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('<p>Home ')]);
    }
  });

  test('is redirected to the folder that it is', async () => {
    const response = await get('docs?a=1');
    expect([response.status, response.headers.get('location')]).toEqual([301, `${root}docs/?a=1`]);
  });

  test.each([
    'nothing',
    'Css/style.css',
    'css',
    'css/',
    'css/style.css/',
    'css/style.css/x',
    'docs/about',
    'css%2fstyle.css',
    'css%252fstyle.css',
    '%2e%2e%2fcss/style.css',
    '%c3%28',
    'app.js%00',
    '__proto__',
    'x'.repeat(10_000),
  ])('%s does not exist', async (path) => {
    const response = await get(path);
    expect(response.status).toBe(404);
    expect(response.headers.get('content-type')).toContain('text/html');
  });

  test('is compressed if it is text and the client accepts it', async () => {
    for (const [accepted, unpack] of [
      ['br, gzip', brotliDecompressSync],
      ['gzip', gunzipSync],
    ] as const) {
      const response = await get('css/style.css', { 'accept-encoding': accepted });
      const encoding = accepted.slice(0, 2) === 'br' ? 'br' : 'gzip';
      expect(response.headers.get('content-encoding')).toBe(encoding);
      expect(response.headers.get('etag')).toBe(`"${sha256(CSS)}-${encoding}"`);
      expect(unpack(Buffer.from(await response.arrayBuffer())).toString()).toBe(CSS);
      const again = { 'accept-encoding': accepted, 'if-none-match': response.headers.get('etag') ?? '' };
      expect((await get('css/style.css', again)).status).toBe(304);
    }
    for (const path of ['photo.jpg', 'img/%C3%A9%20%C3%BC.png'])
      expect((await get(path, { 'accept-encoding': 'br' })).headers.get('content-encoding')).toBeNull();
  });

  test.each(['css/style.css', 'photo.jpg'])('%s can be requested in parts', async (path) => {
    const content = Buffer.from(SITE[path] ?? '');
    const part = async (range: string, headers: Headers = {}) => {
      const response = await get(path, { range, 'accept-encoding': 'br', ...headers });
      return {
        status: response.status,
        range: response.headers.get('content-range'),
        bytes: Buffer.from(await response.arrayBuffer()),
      };
    };
    const etag = `"${sha256(content)}"`;
    const size = content.length;
    expect(await part('bytes=10-19')).toEqual({
      status: 206,
      range: `bytes 10-19/${size}`,
      bytes: content.subarray(10, 20),
    });
    expect((await part('bytes=-5')).bytes).toEqual(content.subarray(-5));
    expect((await part(`bytes=${size - 1}-99999999999999999999`)).bytes).toEqual(content.subarray(-1));
    expect((await part('bytes=0-9', { 'if-range': etag })).status).toBe(206);
    expect(await part(`bytes=${size}-`)).toMatchObject({ status: 416, range: `bytes */${size}` });
    for (const [range, headers] of [
      ['bytes=0-9', { 'if-range': '"other"' }],
      ['bytes=0-9,20-29', {}],
      [`bytes=${'0-0,'.repeat(500)}0-0`, {}],
      ['bytes=9-0', {}],
    ] as const)
      expect((await part(range, headers)).status).toBe(200);
  });

  test.each(['css/style.css', 'photo.jpg'])('%s is not sent again to a client that has it', async (path) => {
    const first = await get(path);
    const [etag, modified] = [first.headers.get('etag') ?? '', first.headers.get('last-modified') ?? ''];
    for (const headers of [{ 'if-none-match': `"x", W/${etag}` }, { 'if-modified-since': modified }]) {
      const response = await get(path, headers);
      expect([response.status, await response.text()]).toEqual([304, '']);
      expect(response.headers.get('etag')).toBe(etag);
    }
    const both = { 'if-none-match': '"other"', 'if-modified-since': modified };
    expect((await get(path, both)).status).toBe(200);
  });

  test('has a length without being sent', async () => {
    const response = await get('photo.jpg', {}, 'HEAD');
    expect(response.headers.get('content-length')).toBe(String(PHOTO.length));
    expect((await get('css/style.css', {}, 'HEAD')).status).toBe(200);
    expect((await get('nothing', {}, 'HEAD')).status).toBe(404);
  });

  test('cannot be a service worker', async () => {
    expect((await get('app.js', { 'service-worker': 'script' })).status).toBe(403);
  });

  test('is given as Markdown if it is HTML and the client asks for it', async () => {
    const response = await get('about', { accept: 'text/markdown' });
    expect(response.headers.get('content-type')).toBe('text/markdown; charset=utf-8');
    expect(await response.text()).toStartWith(`# About ${openScene().page.id}`);
    expect((await get('', { accept: 'text/markdown' })).headers.get('content-type')).toContain('markdown');
    expect((await get('app.js', { accept: 'text/markdown' })).headers.get('content-type')).toContain(
      'javascript',
    );
  });
});

describe('documents that could run scripts', () => {
  const policies = async (s: Scene, place: string, headers: Headers = {}) => {
    const found: Record<string, boolean> = {};
    for (const path of ['drawing.svg', 'paper.pdf', 'feed.xml', 'about.html', 'data.json'])
      found[path] = (await s.at(place, path, headers)).headers.get('content-security-policy') !== null;
    return found;
  };
  const active = { 'drawing.svg': true, 'paper.pdf': true, 'feed.xml': true, 'about.html': true };
  const none = { 'drawing.svg': false, 'paper.pdf': false, 'feed.xml': false, 'about.html': false };

  test('have no origin at the base, nor in frames of others', async () => {
    expect(await policies(sandbox, 'base')).toEqual({ ...active, 'data.json': false });
    expect(await policies(sandbox, 'base', NAVIGATE)).toEqual({ ...active, 'data.json': false });
    expect(await policies(origin, 'base')).toEqual({ ...active, 'data.json': false });
    expect(await policies(origin, 'host')).toEqual({ ...none, 'data.json': false });
    const framed = {
      'sec-fetch-dest': 'iframe',
      'sec-fetch-mode': 'navigate',
      'sec-fetch-site': 'same-site',
    };
    expect(await policies(origin, 'host', framed)).toEqual({ ...active, 'data.json': false });
  });
});

describe.each([
  ['on its own host', () => origin, 'host'],
  ['in sandbox isolation', () => sandbox, 'base'],
] as const)('an HTML file that a script requests %s', (_, openScene, place) => {
  test('is sent as it was written, and is not a view', async () => {
    const { owner, page, at } = openScene();
    const views = async () => (await owner.call('GET', `/api/pages/${page.id}`)).body.page.views;
    const before = await views();
    const fetched = { 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty', 'sec-fetch-site': 'same-origin' };
    for (const path of ['about.html', 'about', 'docs/']) {
      const response = await at(place, path, fetched);
      expect(await response.text()).toBe(SITE[path === 'docs/' ? 'docs/index.html' : 'about.html'] as string);
      expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(response.headers.get('vary')).toContain('Sec-Fetch-Dest');
    }
    expect(await (await at(place, '', fetched)).text()).toContain(`data-page-id="${page.id}"`);
    expect(await views()).toBeLessThanOrEqual(before + 1);
  });
});

describe('folders with names that the service uses', () => {
  const FILES = {
    'api/users.json': '[1]',
    'api/index.html': '<p>our API',
    'p/1.html': '<p>one',
    'sdk/x.js': 'x()',
    'mcp/index.html': '<p>about mcp',
    '.well-known/assetlinks.json': '[]',
    'drawing.svgz': gzipSync('<svg xmlns="http://www.w3.org/2000/svg"/>'),
  };
  let page: PublishedPage;
  const get = (path: string, init = {}) =>
    origin.quire.request(`http://p${page.id}.pages.localhost:3000/${path}`, init);
  beforeAll(async () => {
    page = await origin.owner.publish({ name: 'Names' });
    expect((await origin.replace(page, FILES)).status).toBe(200);
  });

  test('are served on the page’s host', async () => {
    for (const path of ['api/users.json', 'sdk/x.js', '.well-known/assetlinks.json'] as const)
      expect(await (await get(path)).text()).toBe(FILES[path]);
    for (const [path, text] of [
      ['api/', 'our API'],
      ['p/1', '<p>one'],
      ['mcp/', 'about mcp'],
    ] as const)
      expect(await (await get(path)).text()).toContain(text);
  });

  test('leave the service its own paths', async () => {
    expect((await get(`api/pages/${page.id}/visitor`)).headers.get('content-type')).toContain('json');
    expect((await get('api/nothing')).status).toBe(404);
    expect((await get('p/other?a=1')).headers.get('location')).toBe(`${origin.quire.baseUrl}/p/other?a=1`);
    expect((await get('.well-known/oauth-protected-resource/mcp')).status).toBe(200);
    const refused = await origin.replace(page, { 'api/pages/1/visitor': '{}' });
    expect(refused.status).toBe(400);
  });

  test('say nothing about the files of a page that one cannot see', async () => {
    const closed = await origin.owner.publish({ name: 'Closed names', access: { mode: 'private' } });
    expect((await origin.replace(closed, FILES)).status).toBe(200);
    const locations = ['p/1', 'p/2'].map(async (path) => {
      const response = await origin.quire.request(`http://p${closed.id}.pages.localhost:3000/${path}`);
      return [response.status, response.headers.get('location')];
    });
    const root = `${origin.quire.baseUrl}/p/`;
    expect(await Promise.all(locations)).toEqual([
      [302, `${root}1`],
      [302, `${root}2`],
    ]);
  });

  test('an svgz file is a drawing that is compressed already', async () => {
    const response = await get('drawing.svgz');
    expect(response.headers.get('content-type')).toBe('image/svg+xml');
    expect(response.headers.get('content-encoding')).toBe('gzip');
  });
});

describe('addresses', () => {
  test('a page with files ends with a slash, and one without does not', async () => {
    for (const { quire, owner } of [origin, sandbox]) {
      const plain = await owner.publish({ name: 'Plain' });
      const location = async (path: string) => (await quire.request(path)).headers.get('location');
      expect(await location('/p/site?a=1')).toBe('/p/site/?a=1');
      expect(await location(`/p/${plain.slug}/?a=1`)).toBe(`/p/${plain.slug}?a=1`);
      expect((await quire.request(`/p/${plain.slug}/index.html`)).status).toBe(404);
      expect((await quire.request('/p/site', { headers: { accept: 'text/markdown' } })).status).toBe(200);
    }
  });

  test('a page that gets its first file and loses its last one changes its address', async () => {
    const { quire, owner, put, remove } = origin;
    const page = await owner.publish({ name: 'Turns' });
    const status = async () => (await quire.request(`/p/${page.slug}`)).status;
    expect(await status()).toBe(200);
    await put(page, 'a.txt', 'one');
    expect(await status()).toBe(301);
    expect(await (await quire.request(`/p/${page.slug}/a.txt`)).text()).toBe('one');
    await put(page, 'a.txt', 'two');
    expect(await (await quire.request(`/p/${page.slug}/a.txt`)).text()).toBe('two');
    await remove(page, 'a.txt');
    expect(await status()).toBe(200);
    expect((await quire.request(`/p/${page.slug}/a.txt`)).status).toBe(404);
  });

  test('paths are kept when a slug is written otherwise or was renamed', async () => {
    const { quire, owner, replace } = origin;
    const page = await owner.publish({ name: 'Renamed site' });
    await replace(page, { 'a/b.txt': 'x' });
    await owner.call('PATCH', `/api/pages/${page.id}`, { body: { slug: 'new-site' } });
    for (const slug of ['renamed-site', 'New-Site', 'Renamed-Site']) {
      const response = await quire.request(`/p/${slug}/a/b.txt?x=1`);
      expect([response.status, response.headers.get('location')]).toEqual([301, '/p/new-site/a/b.txt?x=1']);
    }
  });

  test('a navigation in origin isolation goes to the path on the own host, with a login too', async () => {
    const { quire, owner, page } = origin;
    const host = `http://p${page.id}.pages.localhost:3000`;
    const go = async (path: string, cookie = '') => {
      const response = await quire.request(path, { headers: { ...NAVIGATE, cookie } });
      return { to: response.headers.get('location') ?? '', cookie: response.headers.get('set-cookie') ?? '' };
    };
    expect((await go('/p/site/docs/more.htm?q=1')).to).toBe(`${host}/docs/more.htm?q=1`);
    expect((await go('/p/site')).to).toBe(`${host}/`);
    const login = await owner.login();
    const session = await go('/p/site/docs/more.htm?q=1', login);
    expect(session.to).toStartWith(`${host}/~session?`);
    const asking = await go(session.to);
    const ticket = await go(asking.to, login);
    expect((await go(ticket.to, asking.cookie.split(';')[0])).to).toBe('/docs/more.htm?q=1');
  });

  test('a logged-in navigation in sandbox isolation gets its page session in HTML files too', async () => {
    const cookie = await sandbox.owner.login();
    for (const path of ['', 'about', 'docs/']) {
      const response = await sandbox.at('base', path, { ...NAVIGATE, cookie });
      expect(response.headers.get('cache-control')).toBe('private, no-store');
      expect(response.headers.get('access-control-allow-origin')).toBeNull();
      expect(await response.text()).toContain('data-page-session="');
    }
    const image = await sandbox.at('base', 'photo.jpg', { ...NAVIGATE, cookie });
    expect([image.status, image.headers.get('content-type')]).toEqual([200, 'image/jpeg']);
    const bare = await sandbox.quire.request('/p/site', { headers: { ...NAVIGATE, cookie } });
    expect(bare.headers.get('location')).toBe('/p/site/');
  });
});

describe('what the page and the service both could answer', () => {
  test('is answered by the file of the page', async () => {
    const { quire, other } = origin;
    const host = `http://p${other.id}.pages.localhost:3000`;
    for (const path of ['llms.txt', 'robots.txt', 'images/a.png']) {
      expect(await (await quire.request(`${host}/${path}`)).text()).toBe('mine');
      expect(await (await quire.request(`/p/${other.slug}/${path}`)).text()).toBe('mine');
    }
    expect(await (await origin.at('host', 'llms.txt')).text()).toContain('# Site');
    expect(await (await origin.at('base', 'llms.txt')).text()).toContain('# Site');
    expect((await origin.at('host', 'api/pages')).status).toBe(404);
    expect((await quire.request(`${host}/sdk/quire.d.ts`)).status).toBe(200);
    expect((await quire.request(`/p/${other.slug}/mcp`)).status).toBe(405);
  });

  test('what is missing is answered by its 404.html, which is not a view', async () => {
    const { quire, owner, other } = origin;
    const host = `http://p${other.id}.pages.localhost:3000`;
    const views = async () => (await owner.call('GET', `/api/pages/${other.id}`)).body.page.views;
    const before = await views();
    for (const address of [`${host}/nothing`, `${host}/a/b/`, `/p/${other.slug}/nothing`, `${host}/%c3%28`]) {
      const response = await quire.request(address);
      expect([response.status, await response.text()]).toEqual([
        404,
        expect.stringContaining(`<h1>Nothing ${other.id}</h1>`),
      ]);
      expect(response.headers.get('etag')).toBeNull();
    }
    expect(await (await quire.request(`${host}/images/none.png`)).text()).not.toContain(
      `Nothing ${other.id}`,
    );
    expect(await views()).toBe(before);
  });
});

test('only HTML documents count as views', async () => {
  const { quire, owner, replace } = origin;
  const page = await owner.publish({ name: 'Viewed' });
  await replace(page, { 'a.html': '<p>', 'a.css': 'p{}', 'b.png': 'x' });
  const root = `/p/${page.slug}/`;
  for (const path of ['', 'a', 'a.html', 'a.css', 'b.png', 'none']) await quire.request(root + path);
  await quire.request(`${root}a`, { method: 'HEAD' });
  await quire.request(`${root}a`, { headers: { 'if-none-match': '*' } });
  expect((await owner.call('GET', `/api/pages/${page.id}`)).body.page.views).toBe(3);
});

test('the files of a draft are only for people who can see it', async () => {
  const { quire, owner, stranger, replace } = origin;
  const page = await owner.publish({ name: 'Draft', is_published: false });
  await replace(page, { 'a.txt': 'secret', 'b.html': 'secret' });
  const host = `http://p${page.id}.pages.localhost:3000/`;
  for (const address of [host, `/p/${page.slug}/`])
    for (const path of ['a.txt', 'b', '', 'none']) {
      const ask = (token: string) =>
        quire.request(address + path, { headers: { authorization: `Bearer ${token}` } });
      expect((await quire.request(address + path)).status).toBe(404);
      expect((await ask(stranger.token)).status).toBe(404);
      const response = await ask(owner.token);
      expect(response.status).toBe(path === 'none' ? 404 : 200);
      if (response.ok) {
        expect(response.headers.get('cache-control')).toBe('private, no-store');
        expect(response.headers.get('access-control-allow-origin')).toBeNull();
      }
    }
});

test('HTML that is too large for a page is sent as it is', async () => {
  const { quire, owner, put } = origin;
  const page = await owner.publish({ name: 'Large' });
  const limit = 4 * 1024 * 1024;
  const html = (size: number) => `<p>{{PAGE_ID}}${'x'.repeat(size - 14)}`;
  for (const [size, isRendered] of [
    [limit, true],
    [limit + 1, false],
  ] as const) {
    expect((await put(page, 'large.html', html(size))).status).toBe(200);
    const response = await quire.request(`/p/${page.slug}/large`);
    expect(response.headers.get('content-security-policy')).toStartWith('sandbox');
    expect((await response.text()).includes('data-page-id')).toBe(isRendered);
  }
});

test('the warnings know the files', async () => {
  const { owner, replace } = origin;
  const page = await owner.publish({ name: 'Warned' });
  await replace(page, { 'a.css': 'x', 'docs/index.html': 'x' });
  const html =
    '<link href="a.css"><link href="/a.css"><a href="docs/"></a>\n<img src="img/b.png"><img src="../c.png">';
  const warnings = async ({ owner }: Scene, id: number) =>
    (await owner.call('PATCH', `/api/pages/${id}`, { body: { html_content: html } })).body.warnings;
  expect(await warnings(origin, page.id)).toMatchObject([
    {
      code: 'MISSING_FILE',
      message: `The page has no file img/b.png. Add it with PUT /api/pages/${page.id}/files/img/b.png, or use a whole URL.`,
      line: 2,
      column: 11,
    },
    expect.objectContaining({ code: 'MISSING_FILE', line: 2, column: 32 }),
  ]);
  const there = await sandbox.owner.publish({ name: 'Warned' });
  await sandbox.replace(there, { 'a.css': 'x', 'docs/index.html': 'x', 'img/b.png': 'x' });
  expect(await warnings(sandbox, there.id)).toMatchObject([
    { code: 'MISSING_FILE', message: expect.stringContaining('without the slash'), line: 1 },
    { code: 'MISSING_FILE', line: 2, column: 32 },
  ]);
});
