import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type TestApp, type TestUser, testApp } from '../../support/app.ts';
import { promote } from '../../support/backup.ts';

/** What programs and search engines look for at every host. */

/** Screens that everybody can see, with something to read. */
const FOUND = ['/', '/p/wall', '/docs', '/gallery', '/login', '/register', '/forgot'];

let quire: TestApp;
let owner: TestUser;
beforeAll(async () => {
  quire = await testApp({ QUIRE_SECURITY_CONTACT: 'security@example.com' });
  owner = await quire.user('owner');
});
afterAll(() => quire.stop());

const get = (path: string, headers: Record<string, string> = {}) => quire.call('GET', path, { headers });

test('robots.txt lets pages and documents be found, and leaves out the API and accounts', async () => {
  const { status, headers, body } = await get('/robots.txt');
  expect([status, headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8']);
  const lines = String(body).split('\n');
  expect(lines[0]).toBe('User-agent: *');
  const left = lines.slice(1).flatMap((line) => /^Disallow: (.+)$/.exec(line)?.[1] ?? []);
  expect(left).toContain('/api/');
  const isLeftOut = (path: string) => left.some((start) => path.startsWith(start));
  const screens = quire.app.routes.filter(
    ({ method, access, path }) => method === 'GET' && access.kind === 'screen' && !FOUND.includes(path),
  );
  for (const path of ['/api/openapi.json', '/logout', ...screens.map((screen) => screen.path)])
    expect([path, isLeftOut(path.replace(/:\w+/g, '*'))]).toEqual([path, true]);
  for (const path of [...FOUND, '/p/wall/a.html', '/docs/api'])
    expect([path, isLeftOut(path)]).toEqual([path, false]);
});

test('favicon.ico is the icon of Quire, or the logo of the server', async () => {
  const ours = await quire.request('/favicon.ico');
  expect([ours.status, ours.headers.get('content-type')]).toEqual([200, 'image/svg+xml']);
  expect(await ours.text()).toMatch(/^<svg /);
  await promote(quire, 'owner');
  const body = { username: 'owner', password: 'correct horse battery', scopes: ['admin'] };
  const { accessToken } = (await quire.call('POST', '/api/auth/token', { body })).body;
  const png = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  );
  const headers = { authorization: `Bearer ${accessToken}`, 'content-type': 'image/png' };
  expect(
    (await quire.request('/api/admin/instance/logo', { method: 'PUT', headers, body: png })).status,
  ).toBe(200);
  const logo = await quire.request('/favicon.ico');
  expect([logo.status, logo.headers.get('content-type')]).toEqual([200, 'image/png']);
});

test('security.txt names the contact of the operator, and is always valid', async () => {
  const { status, headers, body } = await get('/.well-known/security.txt');
  expect([status, headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8']);
  const fields = Object.fromEntries(
    String(body)
      .trim()
      .split('\n')
      .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
  );
  expect(fields).toEqual({
    Contact: 'mailto:security@example.com',
    Expires: expect.stringMatching(/^\d{4}-\d\d-\d\dT00:00:00\.000Z$/),
    Canonical: `${quire.baseUrl}/.well-known/security.txt`,
  });
  const days = (Date.parse(fields.Expires ?? '') - Date.now()) / (24 * 3600 * 1000);
  expect(days).toBeGreaterThan(30);
  expect(days).toBeLessThan(365);
});

test('without a contact there is no security.txt', async () => {
  const bare = await testApp();
  expect((await bare.call('GET', '/.well-known/security.txt')).status).toBe(404);
  await bare.stop();
});

test.each(['nobody', 'http://example.com', 'mailto:', 'a@b c'])('the contact cannot be %s', async (wrong) => {
  await expect(testApp({ QUIRE_SECURITY_CONTACT: wrong })).rejects.toThrow('QUIRE_SECURITY_CONTACT');
});

describe('on the host of a page', () => {
  test('robots.txt, favicon.ico and security.txt are files of the page', async () => {
    const page = await owner.publish({ name: 'Own files' });
    const at = (path: string) => `http://p${page.id}.pages.localhost:${new URL(quire.baseUrl).port}/${path}`;
    const names = ['robots.txt', 'favicon.ico', '.well-known/security.txt'];
    for (const name of names) expect((await get(at(name))).status).toBe(404);
    const put = await quire.request(`/api/pages/${page.id}/files/robots.txt`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${owner.token}`, 'content-type': 'text/plain' },
      body: 'User-agent: *\nDisallow: /mine',
    });
    expect(put.status).toBeLessThan(300);
    expect((await get(at('robots.txt'))).body).toContain('/mine');
  });
});

const MISSING = ['/nothing-here', '/p/nothing-here'];
const PUBLIC = ['/', '/login', '/register', '/forgot', '/gallery', '/docs', '/docs/pages', '/docs/api'];
test.each([...PUBLIC, ...MISSING])('%s has one description, in the language of the reader', async (path) => {
  const inLanguage = async (language: string) => {
    const { status, body } = await get(path, { 'accept-language': language, 'sec-fetch-mode': 'navigate' });
    expect(status).toBe(MISSING.includes(path) ? 404 : 200);
    const found = [...String(body).matchAll(/<meta name="description" content="([^"]+)">/g)];
    expect(found).toHaveLength(1);
    return found[0]?.[1] ?? '';
  };
  const english = await inLanguage('en');
  expect(english.length).toBeGreaterThan(20);
  expect(english.length).toBeLessThanOrEqual(200);
  // The documentation is in English.
  if (!path.startsWith('/docs')) expect(await inLanguage('de')).not.toBe(english);
});
