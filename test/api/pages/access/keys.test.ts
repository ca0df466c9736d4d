import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { PublishedPage, TestUser } from '../../../support/app.ts';
import { type FilesApp, filesApp } from '../../../support/pages/files.ts';

/** In sandbox isolation, the addresses of a closed page's files have a key. It opens them only for who it was given to. */

const NAVIGATE = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document', accept: 'text/html' };
const SUBRESOURCE = {
  'sec-fetch-mode': 'no-cors',
  'sec-fetch-dest': 'image',
  'sec-fetch-site': 'cross-site',
};
const PASSWORD = { mode: 'password', password: 'open sesame' };

let app: FilesApp;
let friend: TestUser;
beforeAll(async () => {
  app = await filesApp({ QUIRE_BASE_URL: 'http://127.0.0.1:3000', QUIRE_PAGES_HOST: '' });
  friend = await app.quire.user('friend');
});
afterAll(() => app.quire.stop());

async function closedPage(access: object, more: object = {}): Promise<PublishedPage> {
  const page = await app.owner.publish({ storage_mode: 'team_app', access, ...more });
  await app.replace(page, { 'a.txt': 'secret' });
  return page;
}

const change = (page: PublishedPage, body: object) =>
  app.owner.call('PATCH', `/api/pages/${page.id}`, { body });

/** Opens the page as a person does, and returns the address of its file with a key. */
async function openAs(page: PublishedPage, headers: Record<string, string>): Promise<string> {
  const opened = await app.quire.request(`/p/${page.slug}/`, { headers: { ...NAVIGATE, ...headers } });
  const at = opened.headers.get('location') ?? '';
  expect(at).toMatch(/^\/p\/[^/]+\/~[^/]+\/$/);
  return `${at}a.txt`;
}

const load = async (file: string, headers: Record<string, string> = SUBRESOURCE) =>
  (await app.quire.request(file, { headers })).status;

async function fetchPass(page: PublishedPage): Promise<Record<string, string>> {
  const given = await app.quire.call('POST', `/api/pages/${page.id}/pass`, {
    body: { password: 'open sesame' },
  });
  return { cookie: `quire_pass_${page.id}=${given.body.pass}` };
}

test.each<[string, object]>([
  ['the password changes', { access: { mode: 'password', password: 'another' } }],
  ['the mode changes', { access: { mode: 'private' } }],
  ['an end is set that has passed', { access: { mode: 'password', expires_at: '2020-01-01T00:00:00Z' } }],
  ['the page becomes a draft', { is_published: false }],
])('the key of somebody with a pass ends when %s', async (_, body) => {
  const page = await closedPage(PASSWORD);
  const file = await openAs(page, await fetchPass(page));
  expect(await load(file)).toBe(200);
  // A person who follows a leaked address is asked for the password.
  expect(await load(file, NAVIGATE)).toBe(403);
  await change(page, body);
  expect([403, 404]).toContain(await load(file));
});

test('a redirect keeps the key', async () => {
  const page = await closedPage(PASSWORD);
  await app.replace(page, {
    'a.txt': 'secret',
    'docs/index.html': '<p>docs',
    _redirects: '/old.txt /a.txt 302',
  });
  const pass = await fetchPass(page);
  const root = (await openAs(page, pass)).replace(/a\.txt$/, '');
  const follow = async (path: string, headers: Record<string, string>) =>
    (await app.quire.request(root + path, { headers })).headers.get('location');
  expect(await follow('old.txt', SUBRESOURCE)).toBe(`${root}a.txt`);
  expect(await follow('docs?a=1', { ...NAVIGATE, ...pass })).toBe(`${root}docs/?a=1`);
  // An address with a key that opens nothing leads to one that does.
  const strange = await app.quire.request(`/p/${page.slug}/~x/docs`, { headers: { ...NAVIGATE, ...pass } });
  expect(strange.headers.get('location')).toMatch(/^\/p\/[^/]+\/~[^/]{20,}\/docs$/);
});

test('a single-page app with a relative base has its key at every depth', async () => {
  const page = await closedPage(PASSWORD, { spa: true });
  await app.replace(page, { 'index.html': '<script src="./a.js"></script>', 'a.js': '' });
  const pass = await fetchPass(page);
  const root = (await openAs(page, pass)).replace(/a\.txt$/, '');
  const opened = await app.quire.request(`${root}orders/7`, { headers: { ...NAVIGATE, ...pass } });
  expect(await opened.text()).toContain(`<base href="${root}">`);
});

test('the key of somebody on the list ends with their login', async () => {
  const page = await closedPage({ mode: 'people', people: ['friend'] });
  const cookie = await friend.login();
  const file = await openAs(page, { cookie });
  const loaded = await app.quire.request(file, { headers: SUBRESOURCE });
  expect([loaded.status, loaded.headers.get('referrer-policy')]).toEqual([200, 'no-referrer']);
  expect((await app.quire.call('POST', '/api/auth/logout', { cookie })).status).toBe(200);
  expect(await load(file)).toBe(403);
});

test('the key of a member ends when they leave the team', async () => {
  const page = await closedPage({ mode: 'team' });
  const { body } = await app.owner.call('POST', `/api/pages/${page.id}/team/invite`, { body: {} });
  expect((await friend.call('POST', `/api/join/${body.inviteCode}`)).status).toBe(200);
  const file = await openAs(page, { cookie: await friend.login() });
  expect(await load(file)).toBe(200);
  expect((await app.owner.call('DELETE', `/api/pages/${page.id}/team/${friend.id}`)).status).toBe(204);
  expect(await load(file)).toBe(403);
});

test("the owner's key works after the end, and not for another page", async () => {
  const page = await closedPage({ mode: 'public', expires_at: '2020-01-01T00:00:00Z' });
  const other = await closedPage({ mode: 'private' });
  const file = await openAs(page, { cookie: await app.owner.login() });
  expect(await load(file)).toBe(200);
  expect(await load(file.replace(page.slug, other.slug))).toBe(403);
});

test('a program with a token gets no key, and needs none', async () => {
  const page = await closedPage({ mode: 'private' });
  const headers = { ...NAVIGATE, authorization: `Bearer ${app.owner.token}` };
  const response = await app.quire.request(`/p/${page.slug}/a.txt`, { headers });
  expect([response.status, await response.text()]).toEqual([200, 'secret']);
});

test('a key ends when access expires, and after two hours', async () => {
  const MINUTE = 60_000;
  const end = new Date(Date.now() + 60 * MINUTE).toISOString();
  const limited = await closedPage({ ...PASSWORD, expires_at: end });
  const other = await closedPage(PASSWORD);
  const files = [
    await openAs(limited, await fetchPass(limited)),
    await openAs(other, await fetchPass(other)),
  ];
  const statuses = () => Promise.all(files.map((file) => load(file)));
  app.quire.advance(59 * MINUTE);
  expect(await statuses()).toEqual([200, 200]);
  app.quire.advance(MINUTE);
  expect(await statuses()).toEqual([403, 200]);
  app.quire.advance(59 * MINUTE);
  expect(await statuses()).toEqual([403, 200]);
  app.quire.advance(MINUTE);
  expect(await statuses()).toEqual([403, 403]);
});
