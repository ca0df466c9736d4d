import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { loadSharp } from '../../../server/platform/pictures/index.ts';
import { type Administrator, administrator } from '../../support/accounts/administrator.ts';
import { PASSWORD, type TestApp, type TestUser, testApp } from '../../support/app.ts';

/** How a server presents itself: what administrators can set, and where it shows. */

let quire: TestApp;
let boss: Administrator;
let user: TestUser;
let token: string;
beforeAll(async () => {
  quire = await testApp();
  boss = await administrator(quire, 'boss');
  user = await quire.user('ada');
  const body = { username: 'boss', password: PASSWORD, scopes: ['admin'] };
  token = (await quire.call('POST', '/api/auth/token', { body })).body.accessToken;
});
afterAll(async () => {
  await boss.admin('PATCH', '/api/admin/instance', { name: 'Quire', color: null, text: '', tagline: '' });
  await quire.stop();
});

const read = async () => (await quire.call('GET', '/api/instance')).body;
const patch = (body: Record<string, unknown>) => boss.admin('PATCH', '/api/admin/instance', body);
const page = async (path: string, cookie?: string) => {
  const headers = { accept: 'text/html', 'sec-fetch-mode': 'navigate', ...(cookie && { cookie }) };
  return (await quire.request(path, { headers })).text();
};
const picture = async (width: number, height: number, format: 'png' | 'jpeg' | 'webp' | 'gif' = 'png') => {
  const sharp = await loadSharp();
  const background = '#c2185b';
  return sharp({ create: { width, height, channels: 3, background } })
    .toFormat(format)
    .toBuffer();
};
const putLogo = (bytes: Uint8Array, type = 'image/png', bearer = token) =>
  quire.request('/api/admin/instance/logo', {
    method: 'PUT',
    headers: { 'content-type': type, authorization: `Bearer ${bearer}` },
    body: bytes as Uint8Array<ArrayBuffer>,
  });

test('is Quire until an administrator changes it', async () => {
  expect(await read()).toEqual({
    name: 'Quire',
    tagline: '',
    text: '',
    color: null,
    accent: { light: '#3547a8', dark: '#aab6ff' },
    logo: null,
  });
});

test('a change shows on the start page, all screens, the docs and the dashboard, at once', async () => {
  const answer = await patch({
    name: 'Acme <pages>',
    tagline: 'Pages of Acme',
    text: 'First.\n\nSecond.',
    color: '#FFEB3B',
  });
  expect(answer.status).toBe(200);
  const { accent, ...rest } = await read();
  expect(rest).toMatchObject({ name: 'Acme <pages>', color: '#ffeb3b', text: 'First.\n\nSecond.' });
  expect(accent.dark).toBe('#ffeb3b');
  for (const path of ['/', '/login', '/p/nothing-here', '/docs', '/docs/pages']) {
    const text = await page(path);
    expect(text).toContain('Acme &lt;pages&gt;</');
    expect(text).not.toContain('Acme <pages>');
    expect(text).toContain(`--accent:light-dark(${accent.light},#ffeb3b)`);
  }
  const dashboard = await page('/pages', await user.login());
  expect(dashboard).toContain('<meta name="instance" content="Acme &lt;pages&gt;">');
  expect(dashboard).toContain(`--accent:light-dark(${accent.light},#ffeb3b)`);
  const { entries } = (await boss.admin('GET', '/api/admin/audit?action=instance.')).body;
  expect(entries[0]).toMatchObject({
    action: 'instance.change',
    actor: 'boss',
    details: { fields: ['name', 'tagline', 'text', 'color'] },
  });
});

const AT = { name: 40, tagline: 160, text: 4000 };
describe.each(Object.entries(AT))('%s', (field, max) => {
  test(`can have ${max} characters and not one more`, async () => {
    expect((await patch({ [field]: 'é'.repeat(max) })).status).toBe(200);
    expect((await patch({ [field]: 'é'.repeat(max + 1) })).status).toBe(400);
  });
});

test.each([
  { name: '' },
  { name: '  ' },
  { name: 'two\nlines' },
  { tagline: 'two\u2028lines' },
  { color: 'red' },
  { color: '#fff' },
  { color: '#fffffff' },
  { logo: 'x' },
  { unknown: 1 },
])('refuses %p', async (body) => {
  expect((await patch(body)).status).toBe(400);
});

test('only administrators can change it', async () => {
  const body = { name: 'Mine' };
  expect((await user.call('PATCH', '/api/admin/instance', { body })).status).toBe(403);
  expect((await quire.call('PATCH', '/api/admin/instance', { body })).status).toBe(401);
  expect((await putLogo(await picture(8, 8), 'image/png', user.token)).status).toBe(403);
  expect((await user.call('DELETE', '/api/admin/instance/logo')).status).toBe(403);
});

describe('the logo', () => {
  test.each(['png', 'jpeg', 'webp'] as const)(
    'can be %s, and is served as a PNG of at most 512 pixels',
    async (format) => {
      const response = await putLogo(await picture(900, 300, format), `image/${format}`);
      expect(response.status).toBe(200);
      const { logo } = await read();
      const sent = await quire.request(new URL(logo).pathname);
      expect(sent.headers.get('cache-control')).toContain('immutable');
      const sharp = await loadSharp();
      const size = await sharp(await sent.bytes()).metadata();
      expect(size).toMatchObject({ format: 'png', width: 512, height: 171 });
      const login = await quire.request('/login');
      expect(await login.text()).toContain(`src="${logo}"`);
    },
  );

  test('that is larger than 256 KB is refused', async () => {
    const png = await picture(8, 8);
    const padded = (size: number) => Buffer.concat([png, Buffer.alloc(size - png.length)]);
    expect((await putLogo(padded(256 * 1024))).status).toBe(200);
    expect((await putLogo(padded(256 * 1024 + 1))).status).toBe(413);
  });

  test('that is not one of these types is refused', async () => {
    const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>');
    expect((await putLogo(svg, 'image/svg+xml')).status).toBe(415);
    expect((await putLogo(svg, 'image/png')).status).toBe(415);
    expect((await putLogo(await picture(8, 8, 'gif'), 'image/gif')).status).toBe(415);
    expect((await putLogo((await picture(64, 64)).subarray(0, 60))).status).toBe(400);
  });

  test('can be removed', async () => {
    const { logo } = await read();
    expect((await boss.admin('DELETE', '/api/admin/instance/logo')).status).toBe(200);
    expect((await read()).logo).toBeNull();
    expect((await quire.request(new URL(logo).pathname)).status).toBe(404);
    expect(await page('/login')).not.toContain('/assets/instance/');
  });
});
