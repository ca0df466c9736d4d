import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { type TestApp, type TestUser, testApp } from '../../support/app.ts';

let quire: TestApp;
let owner: TestUser;
beforeAll(async () => {
  quire = await testApp();
  owner = await quire.user('owner');
});
afterAll(() => quire.stop());

const BODY = `<p>${'Lorem ipsum dolor sit amet. '.repeat(60)}`;
const views = async (id: number) => (await owner.call('GET', `/api/pages/${id}`)).body.page.views;
const get = (path: string, headers: Record<string, string> = {}) => quire.request(path, { headers });

describe('a served page', () => {
  test('has its placeholders filled, the SDK first in its head, and meta tags', async () => {
    const page = await owner.publish({
      name: 'Tom & "Jerry"',
      description: 'A <b>cat</b>',
      html_content:
        '<!doctype html><html><head><script>first()</script></head><body data-page-id="{{PAGE_ID}}">{{PAGE_ID}}{{ PAGE_ID }}',
    });
    const response = await get(`/p/${page.slug}`);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    const html = await response.text();
    expect(html).toMatch(/^<!doctype html><html><head><script src="\/sdk\/[\w-]+\.js" data-page-id="\d+"/);
    expect(html.indexOf('/sdk/')).toBeLessThan(html.indexOf('first()'));
    expect(html).toContain(`<body data-page-id="${page.id}">${page.id}{{ PAGE_ID }}`);
    expect(html).toContain('<meta property="og:title" content="Tom &amp; &quot;Jerry&quot;">');
    expect(html).toContain('<meta property="og:description" content="A &lt;b&gt;cat&lt;/b&gt;">');
    expect(html).toContain(`<meta property="og:url" content="${page.url}">`);
    expect(html).toContain('<meta name="twitter:card" content="summary">');
    expect(html).toContain(`<link rel="agent-spec" href="${quire.baseUrl}/api/pages/${page.id}/agent-spec">`);
  });

  test("keeps the author's own preview tags", async () => {
    const page = await owner.publish({
      name: 'Name',
      description: 'Ours',
      html_content:
        '<head><meta property="OG:Title" content="Theirs"><meta name="twitter:description" content="x"><!-- <meta property="og:type"> --><script>"<meta property=og:url>"</script>',
    });
    const html = await (await get(`/p/${page.slug}`)).text();
    expect(html).not.toContain('og:title" content="Name"');
    expect(html).not.toContain('twitter:title');
    expect(html).not.toContain('twitter:description" content="Ours"');
    expect(html).toContain('og:description" content="Ours"');
    expect(html).toContain('og:type" content="website"');
    expect(html).toContain('og:url" content="http');
  });

  test('loads an SDK that can be cached forever', async () => {
    const page = await owner.publish();
    const html = await (await get(`/p/${page.slug}`)).text();
    const path = /src="(\/sdk\/[^"]+)"/.exec(html)?.[1] ?? '';
    const response = await get(path);
    expect(response.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    expect(response.headers.get('cache-control')).toContain('immutable');
    expect(await response.text()).toContain('PageFunctions');
    expect((await get('/sdk/other.js')).status).toBe(404);
  });

  test('is compressed if the client accepts it, and the same when decompressed', async () => {
    const page = await owner.publish({ html_content: BODY });
    const plain = await get(`/p/${page.slug}`);
    const expected = await plain.text();
    expect(plain.headers.get('content-encoding')).toBeNull();
    const unpack = async (accepted: string) => {
      const response = await get(`/p/${page.slug}`, { 'accept-encoding': accepted });
      const bytes = Buffer.from(await response.arrayBuffer());
      const encoding = response.headers.get('content-encoding');
      const text =
        encoding === 'br' ? brotliDecompressSync(bytes) : encoding === 'gzip' ? gunzipSync(bytes) : bytes;
      return [encoding, text.toString() === expected, response.headers.get('etag')] as const;
    };
    const [br, gzip] = [await unpack('gzip, deflate, br'), await unpack('gzip')];
    expect(br.slice(0, 2)).toEqual(['br', true]);
    expect(gzip.slice(0, 2)).toEqual(['gzip', true]);
    expect((await unpack('br;q=0, gzip'))[0]).toBe('gzip');
    expect((await unpack('br;q=0.0, gzip;q=0'))[0]).toBeNull();
    expect((await unpack('identity'))[0]).toBeNull();
    expect(new Set([br[2], gzip[2], plain.headers.get('etag')]).size).toBe(3);
  });

  test.each([
    ['gzip;q=0', null],
    ['br;q=0, gzip;q=0', null],
    ['br;q=0.1, gzip', 'gzip'],
    ['gzip;q=0.1, br;q=0.9', 'br'],
    ['identity, br;q=0.5', null],
    ['*', 'br'],
  ])('for Accept-Encoding %s is compressed with %p', async (accepted, encoding) => {
    const page = await owner.publish({ name: 'Weights', html_content: BODY });
    const answer = await get(`/p/${page.slug}`, { 'accept-encoding': accepted });
    expect(answer.headers.get('content-encoding')).toBe(encoding);
  });

  test('gets 304 for a matching ETag, until it changes', async () => {
    const page = await owner.publish({ html_content: BODY });
    const first = await get(`/p/${page.slug}`, { 'accept-encoding': 'br' });
    const etag = first.headers.get('etag') ?? '';
    expect(etag).toMatch(/^"[^"]+"$/);
    expect(first.headers.get('cache-control')).toBe('no-cache');
    const again = (tag: string) => get(`/p/${page.slug}`, { 'if-none-match': tag, 'accept-encoding': 'br' });
    expect([(await again(etag)).status, await (await again(etag)).text()]).toEqual([304, '']);
    expect((await again(`"other", W/${etag}`)).status).toBe(304);
    expect((await again('*')).status).toBe(304);
    expect((await again('"other"')).status).toBe(200);
    for (const change of [{ html_content: `${BODY}!` }, { description: 'new' }, { name: 'New' }]) {
      const before = (await get(`/p/${page.slug}`, { 'accept-encoding': 'br' })).headers.get('etag') ?? '';
      await owner.call('PATCH', `/api/pages/${page.id}`, { body: change });
      expect((await again(before)).status).toBe(200);
    }
  });

  test('counts a view for every GET with 200, not for HEAD or 304', async () => {
    const page = await owner.publish();
    for (let i = 0; i < 3; i++) await (await get(`/p/${page.slug}`)).text();
    const head = await quire.request(`/p/${page.slug}`, { method: 'HEAD' });
    expect(head.status).toBe(200);
    await get(`/p/${page.slug}`, { 'if-none-match': '*' });
    await get('/p/no-such-page');
    expect(await views(page.id)).toBe(3);
    await (await get(`/p/${page.slug}`)).text();
    expect(await views(page.id)).toBe(4);
    expect(
      (await owner.call('GET', '/api/pages')).body.pages.find((p: { id: number }) => p.id === page.id).views,
    ).toBe(4);
  });

  test('shows a change immediately, and is gone immediately', async () => {
    const page = await owner.publish({ html_content: '<p>before' });
    for (let i = 0; i < 20; i++) {
      const reading = Promise.all(Array.from({ length: 5 }, () => get(`/p/${page.slug}`)));
      await owner.call('PATCH', `/api/pages/${page.id}`, { body: { html_content: `<p>change ${i}` } });
      expect(await (await get(`/p/${page.slug}`)).text()).toContain(`<p>change ${i}`);
      await reading;
    }
    await owner.call('PATCH', `/api/pages/${page.id}`, { body: { is_published: false } });
    expect((await get(`/p/${page.slug}`)).status).toBe(404);
    await owner.call('PATCH', `/api/pages/${page.id}`, { body: { is_published: true } });
    expect((await get(`/p/${page.slug}`)).status).toBe(200);
    await owner.call('DELETE', `/api/pages/${page.id}`);
    expect((await get(`/p/${page.slug}`)).status).toBe(404);
  });

  test('has noindex if it is unlisted', async () => {
    const page = await owner.publish();
    expect((await get(`/p/${page.slug}`)).headers.get('x-robots-tag')).toBeNull();
    await owner.call('PATCH', `/api/pages/${page.id}`, { body: { is_unlisted: true } });
    const response = await get(`/p/${page.slug}`);
    expect([response.status, response.headers.get('x-robots-tag')]).toEqual([200, 'noindex']);
  });

  test('is visible only to its owner while it is a draft', async () => {
    const page = await owner.publish({ is_published: false });
    const stranger = await quire.user();
    const cookie = await owner.login();
    const statuses = [
      (await get(`/p/${page.slug}`)).status,
      (await get(`/p/${page.slug}`, { cookie: await stranger.login() })).status,
      (await get(`/p/${page.slug}`, { authorization: `Bearer ${stranger.token}` })).status,
      (await get(`/p/${page.slug}`, { cookie, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'cors' }))
        .status,
      (await get(`/p/${page.slug}`, { cookie })).status,
      (await get(`/p/${page.slug}`, { authorization: `Bearer ${owner.token}` })).status,
    ];
    expect(statuses).toEqual([404, 404, 404, 404, 200, 200]);
    expect((await get(`/p/${page.slug}`, { cookie })).headers.get('cache-control')).toBe('private, no-store');
  });

  test('is not visible to a token that cannot read pages while it is a draft', async () => {
    const page = await owner.publish({ is_published: false });
    const statusesFor = async (scopes: string[]) => {
      const { username, password } = owner;
      const { body } = await quire.call('POST', '/api/auth/token', { body: { username, password, scopes } });
      const headers = { authorization: `Bearer ${body.accessToken}` };
      const markdown = { ...headers, accept: 'text/markdown' };
      return [
        (await get(`/p/${page.slug}`, headers)).status,
        (await get(`/p/${page.slug}`, markdown)).status,
        (await get(`/p/${page.slug}/llms.txt`, headers)).status,
        (await get(`/p/${page.slug.toUpperCase()}`, headers)).status,
      ];
    };
    expect(await statusesFor(['solo-data:read', 'pages:write'])).toEqual([404, 404, 404, 404]);
    expect(await statusesFor(['pages:read'])).toEqual([200, 200, 200, 301]);
  });

  describe('at a path with other case or slashes', () => {
    test.each(['/p/Plain-Address', '/p/plain-address/', '/p/PLAIN-ADDRESS//', '/p/plain-address///'])(
      '%s redirects to the canonical path with its query',
      async (path) => {
        if (!(await get('/p/plain-address')).ok) await owner.publish({ name: 'Plain address' });
        const answer = await get(`${path}?a=1&b=%20`);
        expect(answer.status).toBe(301);
        expect(answer.headers.get('location')).toBe('/p/plain-address?a=1&b=%20');
      },
    );

    test('redirects from an old slug to the new one', async () => {
      const page = await owner.publish({ name: 'Before the move' });
      await owner.call('PATCH', `/api/pages/${page.id}`, { body: { slug: 'after-the-move' } });
      expect((await get('/p/Before-The-Move/')).headers.get('location')).toBe('/p/after-the-move');
    });

    test('gets 404 if the page does not exist or is a draft of someone else', async () => {
      const draft = await owner.publish({ name: 'Hidden draft', is_published: false });
      for (const path of ['/p/No-Such-Page/', '/p/', '/p//', `/p/${draft.slug}/`, '/p/HIDDEN-DRAFT']) {
        expect((await get(path)).status).toBe(404);
      }
      const asOwner = await get('/p/HIDDEN-DRAFT', { authorization: `Bearer ${owner.token}` });
      expect(asOwner.headers.get('location')).toBe('/p/hidden-draft');
    });
  });

  test('has a request id with every status', async () => {
    const page = await owner.publish();
    const ids = new Set<string | null>();
    for (const path of [
      `/p/${page.slug}`,
      '/p/nothing',
      '/p/',
      '/',
      '/nothing',
      '/api/nothing',
      '/healthz',
    ]) {
      ids.add((await get(path)).headers.get('x-request-id'));
    }
    expect(ids.size).toBe(7);
    expect(ids.has(null)).toBe(false);
  });
});

const odd: Array<[string, string]> = [
  ['plain text', 'just text'],
  ['an unclosed script', '<script>var x = "<head>"'],
  ['an unclosed textarea', '<textarea><head>'],
  ['an unclosed comment', '<!-- <head> '],
  ['a head in a comment', '<!-- <head> --><head><title>x</title></head>'],
  ['100,000 nested elements', '<div>'.repeat(100_000)],
  ['100,000 placeholders', '{{PAGE_ID}}'.repeat(100_000)],
  ['a broken tag', '<html lang="x'],
  ['binary-looking text', '\u0001\u0002\uffff\ufeff\u2028'],
  ['an XML prolog', '<?xml version="1.0"?><!DOCTYPE html><html xmlns="http://www.w3.org/1999/xhtml"><head/>'],
  ['a million attributes', `<meta ${'a '.repeat(500_000)}>`],
  ['a huge attribute', `<meta content="${'x'.repeat(2_000_000)}">`],
];
test.each(odd)('a document with %s is served unchanged, with the SDK', async (_, html) => {
  const page = await owner.publish({ html_content: html });
  const response = await get(`/p/${page.slug}`);
  expect(response.status).toBe(200);
  const served = await response.text();
  expect(served.includes('<script src="/sdk/')).toBe(true);
  const expected = html.replaceAll('{{PAGE_ID}}', String(page.id));
  const at = served.indexOf('<script src="/sdk/');
  expect(served.slice(0, at) === expected.slice(0, at)).toBe(true);
  expect(served.endsWith(expected.slice(at))).toBe(true);
});
