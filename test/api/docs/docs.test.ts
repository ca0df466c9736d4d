import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { existsSync, readdirSync } from 'node:fs';
import { join, normalize } from 'node:path';
import packageJson from '../../../package.json' with { type: 'json' };
import { REASONS } from '../../../scripts/dependencies/reasons.ts';
import { DEPENDENCIES_FILE, dependenciesMarkdown } from '../../../scripts/dependencies.ts';
import { SETTINGS_FILE, settingsMarkdown } from '../../../scripts/settings.ts';
import { describeSettings } from '../../../server/platform/config/settings.ts';
import { type TestApp, testApp } from '../../support/app.ts';

const ROOT = join(import.meta.dir, '../../..');
const BASE_URL = 'https://quire.example.com';

let quire: TestApp;
beforeAll(async () => {
  quire = await testApp({ QUIRE_BASE_URL: BASE_URL });
});
afterAll(() => quire.stop());

const namesIn = (folder: string, ending: string) =>
  readdirSync(join(ROOT, folder)).filter((name) => name.endsWith(ending));
const documents = [
  ...namesIn('docs', '.md'),
  ...namesIn('docs/decisions', '.md').map((name) => `decisions/${name}`),
].map((name) => name.replace(/\.md$/, ''));
const pages = ['/docs', '/docs/api', '/docs/api/data', ...documents.map((name) => `/docs/${name}`)];

const attributes = (html: string, name: string) =>
  [...html.matchAll(new RegExp(` ${name}="([^"]*)"`, 'g'))].map(([, value = '']) => value);
const read = async (path: string) => (await quire.request(path)).text();

test('a slash at the end leads to the same screen, and to nothing in the API', async () => {
  for (const [path, target] of [
    ['/docs/', '/docs'],
    ['/docs/pages/?a=1', '/docs/pages?a=1'],
    ['/login/', '/login'],
    ['/no-such-screen/', null],
    ['//docs/', null],
    ['/api/functions/', null],
  ] as const) {
    const { status, headers } = await quire.request(path);
    expect([path, status, headers.get('location')]).toEqual([path, target ? 301 : 404, target]);
  }
});

test('a search is a page without script, and its words stay text', async () => {
  const found = await quire.request(`/docs/search?q=${encodeURIComponent('<b>backup')}`);
  const html = await found.text();
  expect(found.status).toBe(200);
  expect(html).toContain('for “&lt;b&gt;backup”');
  expect(html).toContain('value="&lt;b&gt;backup"');
  expect(html).toContain('<mark>');
  expect(await (await quire.request('/docs/search?q=xyzzyplugh')).text()).toContain('Nothing was found');
  expect(await (await quire.request('/docs/search')).text()).toContain('Type what you look for');
  const { results } = (await quire.call('GET', '/docs/results.json?q=doma')).body;
  expect(results[0]).toMatchObject({ href: '/docs/domains', title: 'Domains', heading: '' });
});

describe('every document', () => {
  test('is a page that loads only its own style, pictures and the script of the search', async () => {
    expect(documents.length).toBeGreaterThan(15);
    for (const path of pages) {
      const response = await quire.request(path);
      const html = await response.text();
      expect([path, response.status, response.headers.get('content-type')]).toEqual([
        path,
        200,
        'text/html; charset=utf-8',
      ]);
      const policy = response.headers.get('content-security-policy') ?? '';
      expect(policy).toStartWith(
        "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self'",
      );
      expect(policy).toContain("img-src 'self' data:; form-action 'self'; frame-ancestors 'none'");
      expect(html.match(/<script/gi)).toHaveLength(1);
      expect(html).toContain('<script src="/assets/docs-search.js" type="module"></script>');
      expect(html).not.toMatch(/ (on\w+|style)="/);
      expect([path, html.match(/<h1[ >]/g)?.length]).toEqual([path, 1]);
      expect(response.headers.get('set-cookie')).toBeNull();
    }
  });

  test('has no broken link, anchor or picture', async () => {
    const known = new Map<string, { status: number; ids: string[] }>();
    const look = async (path: string) => {
      const response = known.has(path) ? undefined : await quire.request(path);
      if (response)
        known.set(path, { status: response.status, ids: attributes(await response.text(), 'id') });
      return known.get(path);
    };
    for (const path of pages) {
      const html = await read(path);
      for (const href of attributes(html, 'href').filter((link) => !/^(https?|data):/.test(link))) {
        const [target = '', anchor] = (href.startsWith('#') ? path + href : href).split('#');
        const { status, ids = [] } = (await look(target)) ?? {};
        expect({ path, href, status }).toEqual({ path, href, status: 200 });
        if (anchor !== undefined) {
          expect({ path, href, isThere: ids.includes(anchor) }).toEqual({
            path,
            href,
            isThere: true,
          });
        }
      }
      for (const source of [...attributes(html, 'src'), ...attributes(html, 'srcset')]) {
        const { status, headers } = await quire.request(source.replaceAll('&amp;', '&'));
        expect([path, source, status]).toEqual([path, source, 200]);
        const type = source.endsWith('.js') ? 'text/javascript; charset=utf-8' : 'image/png';
        expect(headers.get('content-type')).toBe(type);
        if (type === 'image/png') expect(headers.get('cache-control')).toContain('immutable');
      }
      for (const image of html.match(/<img [^>]*>/g) ?? []) expect(image).toMatch(/ alt="[^"]+"/);
    }
  });

  test('links to existing files, for readers in the repository', async () => {
    for (const name of documents) {
      const text = await Bun.file(join(ROOT, `docs/${name}.md`)).text();
      for (const [, href = ''] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
        if (/^(https?:|#|\/)/.test(href)) continue;
        const file = normalize(join(ROOT, 'docs', name, '..', href.split('#')[0] ?? ''));
        expect({ name, href, isThere: existsSync(file) }).toEqual({ name, href, isThere: true });
      }
    }
  });

  test('is in the table of contents, and links to the next', async () => {
    const index = await read('/docs');
    const listed = attributes(index.slice(index.indexOf('<main')), 'href');
    for (const name of documents) expect(listed).toContain(`/docs/${name}`);
    expect(await read('/docs/pages')).toMatch(/rel="prev" href="\/docs\/quick-start"/);
    expect(await read('/docs/pages')).toMatch(/rel="next" href="\/docs\/functions"/);
    expect(await read('/docs/pages')).toContain('<a href="/docs/pages" aria-current="page">Pages</a>');
  });

  test('is available as Markdown', async () => {
    for (const name of documents) {
      const response = await quire.request(`/docs/${name}.md`);
      expect([name, response.status, response.headers.get('content-type')]).toEqual([
        name,
        200,
        'text/markdown; charset=utf-8',
      ]);
      expect(await response.text()).toStartWith('# ');
    }
    expect(await read('/docs/pages')).toContain('<a href="/docs/pages.md">');
  });
});

test('has examples with the address of this server', async () => {
  for (const path of ['/docs/quick-start', '/docs/quick-start.md']) {
    const text = await read(path);
    expect(text).toContain(`${BASE_URL}/api/auth/register`);
    expect(text).not.toContain('http://localhost:3000');
  }
  expect(await read('/docs/settings')).toContain('http://localhost:&lt;PORT&gt;');
});

test('shows a link out of the docs folder as text', async () => {
  const html = await read('/docs/running');
  expect(html).toContain('changes');
  expect(html).not.toContain('CHANGELOG');
});

describe('serving the documentation', () => {
  test('does not send again what a browser already has', async () => {
    for (const path of ['/docs', '/docs/pages', '/docs/pages.md', '/docs/api']) {
      const first = await quire.request(path);
      const etag = first.headers.get('etag') ?? '';
      expect(etag).toMatch(/^"[\w-]+"$/);
      expect(first.headers.get('cache-control')).toBe('public, no-cache');
      const again = await quire.request(path, { headers: { 'if-none-match': etag } });
      expect([again.status, await again.text()]).toEqual([304, '']);
      const other = await quire.request(path, { headers: { 'if-none-match': '"other"' } });
      expect(other.status).toBe(200);
    }
  });

  test.each(['br', 'gzip'])('with %s is smaller, and the same', async (encoding) => {
    const plain = await read('/docs/pages');
    const response = await quire.request('/docs/pages', { headers: { 'accept-encoding': encoding } });
    expect([response.headers.get('content-encoding'), response.headers.get('vary')]).toEqual([
      encoding,
      'Accept, Accept-Encoding',
    ]);
    const bytes = new Uint8Array(await response.arrayBuffer());
    expect(bytes.length).toBeLessThan(plain.length / 2);
    const stream = new Blob([bytes])
      .stream()
      .pipeThrough(new DecompressionStream((encoding === 'br' ? 'brotli' : encoding) as 'gzip'));
    expect(await new Response(stream).text()).toBe(plain);
  });

  test('a picture without its hash can change', async () => {
    const { status, headers } = await quire.request('/docs/pictures/register.png');
    expect([status, headers.get('cache-control')]).toEqual([200, 'public, no-cache']);
    const again = await quire.request('/docs/pictures/register.png', {
      headers: { 'if-none-match': headers.get('etag') ?? '' },
    });
    expect(again.status).toBe(304);
  });

  test('refuses writes', async () => {
    expect((await quire.request('/docs/pages', { method: 'POST' })).status).toBe(405);
  });
});

test.each([
  '/docs/nothing',
  '/docs/nothing.md',
  '/docs/pages.md.md',
  '/docs/Pages',
  '/docs/pages.png',
  '/docs/api.md',
  '/docs/decisions',
  '/docs/decisions/nothing',
  '/docs/decisions/..%2Fpages',
  '/docs/..%2FREADME',
  '/docs/..%2FREADME.md',
  '/docs/%2e%2e%2fREADME.md',
  '/docs/..%5CREADME.md',
  '/docs/decisions%2F0001-bun-hono-zod-kysely/x',
  '/docs/pages%00.md',
  '/docs/%2Fetc%2Fpasswd',
  '/docs/pictures',
  '/docs/pictures/nothing.png',
  '/docs/pictures/..%2Fpages.md',
  '/docs/pictures/..%2F..%2Fpackage.json',
  '/docs/pictures/%2e%2e%2f%2e%2e%2fdata%2fsecret',
  '/docs/constructor',
  '/docs/__proto__',
])('%s gets 404', async (path) => {
  const response = await quire.request(path);
  expect(response.status).toBe(404);
  expect(await response.text()).toContain('Nothing here');
});

describe('the list of dependencies', () => {
  test('matches the lock file; npm run dependencies writes it', async () => {
    expect(await Bun.file(DEPENDENCIES_FILE).text()).toBe(await dependenciesMarkdown());
  });

  test('has a reason for every package that we chose, and for no other', () => {
    const { dependencies, devDependencies, optionalDependencies } = packageJson;
    const chosen = Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies });
    expect(Object.keys(REASONS).toSorted()).toEqual(chosen.toSorted());
  });

  test('has no package whose licence is unknown', async () => {
    expect(await dependenciesMarkdown()).not.toContain('| unknown |');
  });
});

describe('the list of settings', () => {
  test('matches the schema; npm run settings writes it', async () => {
    expect(await Bun.file(SETTINGS_FILE).text()).toBe(settingsMarkdown());
  });

  test('has the meaning and the default of every setting', () => {
    const settings = describeSettings().flatMap((section) => section.settings);
    expect(settings.length).toBeGreaterThan(30);
    for (const { name, meaning, fallback } of settings) {
      expect({ name, meaning, fallback }).toEqual({
        name,
        meaning: expect.stringMatching(/^\S.{5}/),
        fallback: expect.stringMatching(/\S/),
      });
    }
  });
});
